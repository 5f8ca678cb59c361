-- They go.
DELETE FROM body
WHERE NOT EXISTS (SELECT 1 FROM job WHERE job.n = body.job AND job.body IS NULL)
