-- Writes what was counted.
-- ?1 n, ?2 token, ?3 seq, ?4 delayed, ?5 ready, ?6 running, ?7 done, ?8 failed, ?9 cancelled.
UPDATE queue SET token = ?2, seq = ?3, delayed = ?4, ready = ?5, running = ?6, done = ?7,
                 failed = ?8, cancelled = ?9
WHERE n = ?1
