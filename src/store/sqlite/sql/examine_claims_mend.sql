-- Counts the jobs of each claim.
UPDATE claim SET jobs = (SELECT count(*) FROM job WHERE job.holder = claim.holder)
