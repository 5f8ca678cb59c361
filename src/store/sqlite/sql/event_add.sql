-- Something happened to a job of a queue that is watched.
-- ?1 queue, ?2 number, ?3 type, ?4 state, ?5 now, ?6 id, ?7 worker or NULL, ?8 token.
INSERT INTO event(queue, number, type, state, at, id, worker, token)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
