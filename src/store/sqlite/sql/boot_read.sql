-- Whether deadlines in the file are of this boot.
-- ?1 which ones: a name in meta, ?2 boot id. One row if so.
SELECT 1 FROM meta WHERE name = ?1 AND value = ?2
