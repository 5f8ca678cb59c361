-- Whoever holds a name is asked to give it up (L6).
-- ?1 space, ?2 kind, ?3 name, ?4 now.
UPDATE granted SET resign = 1, asked = asked + 1
WHERE space = ?1 AND kind = ?2 AND name = ?3 AND holder <> 0 AND deadline > ?4
