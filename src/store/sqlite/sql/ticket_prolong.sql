-- A place in line is kept for longer.
-- ?1 n of the name, ?2 number, ?3 deadline.
UPDATE ticket SET deadline = ?3 WHERE granted = ?1 AND number = ?2
