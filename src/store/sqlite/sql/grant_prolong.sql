-- A lease that stands, from now (L2), unless it is not the current one.
-- ?1 space, ?2 kind, ?3 name, ?4 holder, ?5 token, ?6 now, ?7 deadline. One row if it was: whether
-- its holder is asked to resign.
UPDATE granted SET deadline = ?7
WHERE space = ?1 AND kind = ?2 AND name = ?3 AND holder = ?4 AND token = ?5 AND deadline > ?6
RETURNING resign
