-- Due jobs become ready, in the order in which they came due, at the end of their lines (J9, J11).
-- ?1 queue, ?2 now, ?3 the latest seq, ?4 how many at most. Changes: as many as were due.
UPDATE job SET state = 2, seq = ?3 + due.place
FROM (SELECT n AS job, row_number() OVER (ORDER BY run_at, n) AS place
      FROM (SELECT n, run_at FROM job WHERE queue = ?1 AND state = 1 AND run_at <= ?2
            ORDER BY run_at, n LIMIT ?4)) AS due
WHERE n = due.job
