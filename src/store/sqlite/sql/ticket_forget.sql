-- Places in line that were not kept up.
-- ?1 now, ?2 how many at most.
DELETE FROM ticket WHERE (granted, number) IN (
    SELECT granted, number FROM ticket WHERE deadline <= ?1 ORDER BY deadline LIMIT ?2)
