-- Who comes first of those in line for a name.
-- ?1 n of the name, ?2 now. One row, or none: holder, deadline.
SELECT holder, deadline FROM ticket WHERE granted = ?1 AND deadline > ?2 ORDER BY number LIMIT 1
