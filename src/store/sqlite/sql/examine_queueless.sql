-- Jobs of a queue that is not there. One row: how many.
SELECT count(*) FROM job WHERE NOT EXISTS (SELECT 1 FROM queue WHERE queue.n = job.queue)
