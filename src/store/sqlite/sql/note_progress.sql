-- How far a job has come.
-- ?1 n, ?2 progress.
REPLACE INTO note(job, number, value) VALUES (?1, 0, ?2)
