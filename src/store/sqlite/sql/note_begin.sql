-- From now on there are notes of a job.
-- ?1 n.
UPDATE job SET flags = flags | 2 WHERE n = ?1
