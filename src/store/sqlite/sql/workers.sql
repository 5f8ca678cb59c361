-- The workers heard of in time.
-- ?1 space, ?2 now, ?3 how many at most. Rows in the order of workers.c.
SELECT id, name, queues, threads, running, started_at, seen_at, degraded_since, kinds,
       claimed_at
FROM worker WHERE space = ?1 AND expires > ?2 ORDER BY started_at, id LIMIT ?3
