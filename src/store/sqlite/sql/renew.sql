-- A claim stands for longer, even if it has lapsed, unless it is not the current one (J3, J8).
-- ?1 holder, ?2 queue, ?3 token, ?4 deadline. One row if it was renewed: whether some of its jobs
-- may be told to stop.
UPDATE claim SET deadline = ?4 WHERE holder = ?1 AND queue = ?2 AND token = ?3 RETURNING marked
