-- They are ready again in their old place, as if handed back: nobody has them in hand.
UPDATE job SET state = 2, holder = NULL, flags = flags & ~1, attempt = max(attempt - 1, 0)
WHERE state = 3 AND NOT EXISTS (SELECT 1 FROM claim
                                WHERE claim.holder = job.holder AND claim.queue = job.queue)
