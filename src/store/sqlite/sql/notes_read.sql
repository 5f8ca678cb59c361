-- The notes of a job: its progress, then its lines, oldest first.
-- ?1 n, ?2 how many at most. Rows: number (0: the progress), value.
SELECT number, value FROM note WHERE job = ?1 ORDER BY number LIMIT ?2
