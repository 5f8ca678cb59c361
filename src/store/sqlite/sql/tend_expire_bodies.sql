-- The large bodies of the records that tend_expire.sql is about to remove.
-- ?1 queue, ?2 now, ?3 how many at most.
DELETE FROM body
WHERE job IN (SELECT n FROM job WHERE queue = ?1 AND expires <= ?2 ORDER BY expires, n LIMIT ?3)
