-- Claims whose lease is over, longest first (J8).
-- ?1 queue, ?2 now (CLOCK_BOOTTIME), ?3 how many at most. Rows: holder.
SELECT holder FROM claim WHERE queue = ?1 AND deadline <= ?2 ORDER BY deadline LIMIT ?3
