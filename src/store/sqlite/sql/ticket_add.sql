-- A place at the end of the line (L5).
-- ?1 n of the name, ?2 holder, ?3 deadline.
INSERT INTO ticket(granted, number, holder, deadline)
SELECT ?1, coalesce(max(number), 0) + 1, ?2, ?3 FROM ticket WHERE granted = ?1
