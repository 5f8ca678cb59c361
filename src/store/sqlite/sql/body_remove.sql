-- A large body goes before its job.
-- ?1 n of its job.
DELETE FROM body WHERE job = ?1
