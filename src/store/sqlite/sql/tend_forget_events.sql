-- Events that are too old are forgotten, oldest first (J11).
-- ?1 queue, ?2 since when, ?3 how many at most.
DELETE FROM event
WHERE queue = ?1 AND at <= ?2
  AND number IN (SELECT number FROM event WHERE queue = ?1 ORDER BY number LIMIT ?3)
