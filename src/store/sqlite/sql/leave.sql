-- A worker ends.
-- ?1 space, ?2 id.
DELETE FROM worker WHERE space = ?1 AND id = ?2
