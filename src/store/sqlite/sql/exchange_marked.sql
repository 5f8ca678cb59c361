-- Whether a job in hand was told to stop.
-- ?1 id, ?2 queue, ?3 holder. One row if so.
SELECT 1 FROM job WHERE id = ?1 AND queue = ?2 AND holder = ?3 AND flags & 1
