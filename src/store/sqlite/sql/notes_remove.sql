-- The notes of a job go before it.
-- ?1 n.
DELETE FROM note WHERE job = ?1
