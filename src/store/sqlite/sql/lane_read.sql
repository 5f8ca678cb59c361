-- What the latest request of an asker came to (J7), unless he has been silent for too long.
-- ?1 queue, ?2 lane, ?3 since when. One row or none: number, statuses (a byte each, negated).
SELECT number, statuses FROM lane WHERE queue = ?1 AND lane = ?2 AND used_at > ?3
