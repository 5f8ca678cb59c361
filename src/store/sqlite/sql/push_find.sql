-- Which row a job just pushed has, to put its large body beside it.
-- ?1 id, ?2 queue. One row: n.
SELECT n FROM job WHERE id = ?1 AND queue = ?2
