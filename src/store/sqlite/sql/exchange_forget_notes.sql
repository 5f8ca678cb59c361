-- The notes of a job that is about to be forgotten.
-- ?1 id, ?2 queue, ?3 holder.
DELETE FROM note WHERE job = (SELECT n FROM job WHERE id = ?1 AND queue = ?2 AND holder = ?3)
