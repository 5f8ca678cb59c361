-- A queue nobody knows yet.
-- ?1 space, ?2 name.
INSERT INTO queue(space, name, shown, paused, token, seq,
                  delayed, ready, running, done, failed, cancelled,
                  pushed_total, finished_total, retried_total, lapsed_total, fenced_total,
                  expired_total, marked_total, event, watched_until)
VALUES (?1, ?2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
