-- A worker is alive: it registers, or says so again.
-- ?1 space, ?2 id, ?3 name, ?4 queues, ?5 threads, ?6 running, ?7 started_at, ?8 now,
-- ?9 degraded_since, ?10 until when this holds, ?11 kinds, ?12 claimed_at.
REPLACE INTO worker(space, id, name, queues, threads, running, started_at, seen_at, degraded_since,
                    expires, kinds, claimed_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
