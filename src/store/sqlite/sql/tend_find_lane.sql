-- Whether a lane has been silent for too long.
-- ?1 queue, ?2 since when. One row if so.
SELECT 1 FROM lane WHERE queue = ?1 AND used_at <= ?2 LIMIT 1
