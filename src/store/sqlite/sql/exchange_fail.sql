-- A job handed in has failed for good: its record stays, behind those that failed before (J1, J3).
-- ?1 id, ?2 queue, ?3 holder, ?4 attempt, ?5 past, ?6 error or NULL: as it was, ?7 state, ?8 seq,
-- ?9 result or NULL. Changes: 1; 0 if this holder does not have it.
UPDATE job SET state = ?7, attempt = ?4, flags = flags & ~1, holder = NULL, expires = NULL,
               past = ?5, error = ifnull(?6, error), seq = ?8, result = ?9
WHERE id = ?1 AND queue = ?2 AND holder = ?3
