-- Whether the oldest event is too old.
-- ?1 queue, ?2 since when. One row if so.
SELECT 1 FROM (SELECT at FROM event WHERE queue = ?1 ORDER BY number LIMIT 1) WHERE at <= ?2
