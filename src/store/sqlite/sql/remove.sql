-- The record of a job goes.
-- ?1 n.
DELETE FROM job WHERE n = ?1
