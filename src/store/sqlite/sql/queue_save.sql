-- Writes the row of a queue as the step left it. J4: token and seq only grow.
-- ?1 n, then the columns in the order of queue_read.sql.
UPDATE queue SET
    shown = ?2, paused = ?3, token = ?4, seq = ?5,
    delayed = ?6, ready = ?7, running = ?8, done = ?9, failed = ?10, cancelled = ?11,
    pushed_total = ?12, finished_total = ?13, retried_total = ?14, lapsed_total = ?15,
    fenced_total = ?16, expired_total = ?17, marked_total = ?18, event = ?19, watched_until = ?20,
    bounds = ?21
WHERE n = ?1
