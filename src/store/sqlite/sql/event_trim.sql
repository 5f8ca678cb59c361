-- Forgets the oldest events (J11: as many as the step added).
-- ?1 queue, ?2 the last number to go.
DELETE FROM event WHERE queue = ?1 AND number <= ?2
