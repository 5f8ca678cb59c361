-- Workers not heard of in time go (J11).
-- ?1 space, ?2 now, ?3 how many at most.
DELETE FROM worker
WHERE space = ?1 AND id IN (SELECT id FROM worker WHERE space = ?1 AND expires <= ?2 LIMIT ?3)
