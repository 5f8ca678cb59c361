-- When the next record has been kept long enough.
-- ?1 queue. One row or none: its time.
SELECT expires FROM job WHERE queue = ?1 AND expires IS NOT NULL ORDER BY expires LIMIT 1
