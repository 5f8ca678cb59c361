-- Claims that count their jobs wrong, or have none. One row: how many.
SELECT count(*) FROM claim
WHERE jobs <> (SELECT count(*) FROM job WHERE job.holder = claim.holder) OR jobs < 1
