-- Running jobs that no claim of their queue has (J2). One row: how many.
SELECT count(*) FROM job
WHERE state = 3 AND NOT EXISTS (SELECT 1 FROM claim
                                WHERE claim.holder = job.holder AND claim.queue = job.queue)
