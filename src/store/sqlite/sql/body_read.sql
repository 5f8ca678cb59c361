-- A large body.
-- ?1 n of its job. One row: its bytes.
SELECT data FROM body WHERE job = ?1
