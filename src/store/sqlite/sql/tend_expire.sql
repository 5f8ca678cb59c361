-- Records kept long enough go, longest first (J11, J13).
-- ?1 queue, ?2 now, ?3 how many at most. Changes: as many as went.
DELETE FROM job
WHERE n IN (SELECT n FROM job WHERE queue = ?1 AND expires <= ?2 ORDER BY expires, n LIMIT ?3)
