-- Names of groups. ?1 space, ?2 after which name, ?3 how many at most.
SELECT name FROM stream_group WHERE space = ?1 AND name > ?2 ORDER BY name LIMIT ?3
