-- Since when the first in line could run.
-- ?1 queue. One row or none: its time.
SELECT run_at FROM job WHERE queue = ?1 AND state = 2 ORDER BY priority, seq LIMIT 1
