-- A renewal, if the ownership stands (S5). ?1 group, ?2 name, ?3 holder, ?4 token, ?5 now,
-- ?6 deadline. Row: whether its owner is asked to yield it.
UPDATE stream SET deadline = ?6, touched = ?5
WHERE grp = ?1 AND name = ?2 AND holder = ?3 AND token = ?4 AND deadline > ?5
RETURNING yielding
