-- Events of a queue, oldest first.
-- ?1 queue, ?2 after which number, ?3 how many at most. Rows in the order of events.c.
SELECT number, type, state, at, id, worker, token
FROM event WHERE queue = ?1 AND number > ?2 ORDER BY number LIMIT ?3
