-- The jobs of a claim that are told to stop.
-- ?1 holder, ?2 how many at most. Rows: id.
SELECT id FROM job WHERE holder = ?1 AND flags & 1 LIMIT ?2
