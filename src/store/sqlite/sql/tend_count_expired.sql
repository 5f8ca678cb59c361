-- What tend_expire.sql is about to remove, to be counted (J12).
-- ?1 queue, ?2 now, ?3 how many at most. Rows: state, count.
SELECT state, count(*)
FROM (SELECT state FROM job WHERE queue = ?1 AND expires <= ?2 ORDER BY expires, n LIMIT ?3)
GROUP BY state
