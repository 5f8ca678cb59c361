-- A line for the log of a job. J11: one line more, one line less.
-- ?1 n, ?2 the line. One row: its number.
INSERT INTO note(job, number, value)
VALUES (?1, 1 + ifnull((SELECT max(number) FROM note WHERE job = ?1), 0), ?2)
RETURNING number
