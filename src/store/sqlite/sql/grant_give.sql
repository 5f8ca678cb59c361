-- Somebody has a name from now on (L1).
-- ?1 n, ?2 token, ?3 holder, ?4 deadline, ?5 since, ?6 by whom.
UPDATE granted SET token = ?2, holder = ?3, deadline = ?4, since = ?5, resign = 0, held_by = ?6
WHERE n = ?1
