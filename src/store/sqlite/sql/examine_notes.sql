-- Notes of no job, or of one that knows of none. One row: how many.
SELECT count(*) FROM note
WHERE NOT EXISTS (SELECT 1 FROM job WHERE job.n = note.job AND job.flags & 2)
