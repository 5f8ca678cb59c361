-- When the next delayed job is due.
-- ?1 queue. One row or none: its time.
SELECT run_at FROM job WHERE queue = ?1 AND state = 1 ORDER BY run_at LIMIT 1
