-- Somebody owns it from now on. ?1 n, ?2 holder, ?3 token, ?4 deadline, ?5 touched, ?6 since,
-- ?7 by whom.
UPDATE stream SET holder = ?2, token = ?3, deadline = ?4, touched = ?5, since = ?6, held_by = ?7,
                  yielding = 0
WHERE n = ?1
