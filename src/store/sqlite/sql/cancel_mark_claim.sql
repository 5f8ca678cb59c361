-- The claim of a job that was told to stop: renewals look for marks only where there may be some.
-- ?1 holder.
UPDATE claim SET marked = 1 WHERE holder = ?1
