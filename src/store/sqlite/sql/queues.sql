-- The names of the queues that were pushed to or paused, in byte order.
-- ?1 space, ?2 after which name, ?3 how many at most. Rows: name.
SELECT name FROM queue WHERE space = ?1 AND name > ?2 AND shown ORDER BY name LIMIT ?3
