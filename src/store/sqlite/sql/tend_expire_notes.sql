-- The notes of the records that tend_expire.sql is about to remove.
-- ?1 queue, ?2 now, ?3 how many records at most.
DELETE FROM note
WHERE job IN (SELECT n FROM (SELECT n, flags FROM job WHERE queue = ?1 AND expires <= ?2
                             ORDER BY expires, n LIMIT ?3)
              WHERE flags & 2)
