-- The row of a queue.
-- ?1 space, ?2 name. One row or none: queue.c reads the columns in this order.
SELECT n, shown, paused, token, seq, delayed, ready, running, done, failed, cancelled,
       pushed_total, finished_total, retried_total, lapsed_total, fenced_total, expired_total,
       marked_total, event, watched_until, bounds
FROM queue WHERE space = ?1 AND name = ?2
