-- Finds the failed records that ended first. Made with the first bound on them: no other file has
-- to keep it up to date.
CREATE INDEX IF NOT EXISTS job_failed ON job(queue, seq) WHERE state = 5
