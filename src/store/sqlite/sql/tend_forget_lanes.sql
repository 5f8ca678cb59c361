-- Lanes silent for too long are forgotten (J11).
-- ?1 queue, ?2 since when, ?3 how many at most.
DELETE FROM lane
WHERE (queue, lane) IN (SELECT queue, lane FROM lane WHERE queue = ?1 AND used_at <= ?2 LIMIT ?3)
