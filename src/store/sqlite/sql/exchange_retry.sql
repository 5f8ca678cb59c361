-- A job handed in waits again (J1, J3, J9).
-- ?1 id, ?2 queue, ?3 holder, ?4 attempt, ?5 past, ?6 error or NULL: as it was, ?7 state,
-- ?8 run_at or NULL: as it was, ?9 seq or NULL: its old place.
-- Changes: 1; 0 if this holder does not have it.
UPDATE job SET state = ?7, attempt = ?4, flags = flags & ~1, holder = NULL, past = ?5,
               error = ifnull(?6, error), run_at = ifnull(?8, run_at), seq = ifnull(?9, seq)
WHERE id = ?1 AND queue = ?2 AND holder = ?3
