-- From now on those deadlines are of this boot.
-- ?1 which ones: a name in meta, ?2 boot id.
REPLACE INTO meta(name, value) VALUES (?1, ?2)
