-- A new lease (J2, J4, J5).
-- ?1 holder, ?2 queue, ?3 token, ?4 worker, ?5 started_at, ?6 deadline, ?7 jobs, ?8 large.
INSERT INTO claim(holder, queue, token, worker, started_at, deadline, jobs, large, marked)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0)
