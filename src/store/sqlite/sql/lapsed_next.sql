-- When the next lease that stands is over.
-- ?1 queue, ?2 now (CLOCK_BOOTTIME). One row or none: deadline.
SELECT deadline FROM claim WHERE queue = ?1 AND deadline > ?2 ORDER BY deadline LIMIT 1
