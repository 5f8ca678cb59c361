-- A large body, beside its job.
-- ?1 n of its job, ?2 bytes.
INSERT INTO body(job, data) VALUES (?1, ?2)
