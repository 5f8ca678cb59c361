-- A claim by its holder.
-- ?1 holder. One row or none, in the order of claim.c.
SELECT queue, token, worker, started_at, deadline, jobs, large, marked FROM claim WHERE holder = ?1
