-- Large bodies of no job, or of one that has a small one. One row: how many.
SELECT count(*) FROM body
WHERE NOT EXISTS (SELECT 1 FROM job WHERE job.n = body.job AND job.body IS NULL)
