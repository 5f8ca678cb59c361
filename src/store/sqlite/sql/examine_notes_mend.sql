-- They go.
DELETE FROM note
WHERE NOT EXISTS (SELECT 1 FROM job WHERE job.n = note.job AND job.flags & 2)
