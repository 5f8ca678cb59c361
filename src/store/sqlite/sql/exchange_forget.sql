-- A job handed in has ended, and nothing is kept (J1, J3).
-- ?1 id, ?2 queue, ?3 holder. Changes: 1; 0 if this holder does not have it.
DELETE FROM job WHERE id = ?1 AND queue = ?2 AND holder = ?3
