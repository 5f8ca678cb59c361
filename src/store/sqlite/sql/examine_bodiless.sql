-- Jobs whose large body is gone. One row: how many.
SELECT count(*) FROM job
WHERE body IS NULL AND NOT EXISTS (SELECT 1 FROM body WHERE body.job = job.n)
