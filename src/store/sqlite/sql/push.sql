-- Puts in those of the given jobs whose id no record has (J14). Of an id given twice the first.
-- ?1 queue, ?2 the jobs (given.h). Changes: as many as went in.
INSERT OR FAIL INTO job(queue, id, state, priority, seq, run_at, attempt, flags, kind, terms, body)
SELECT ?1, id, state, priority, seq, run_at, 0, 0, kind, terms, body FROM given_jobs(?2) WHERE true
ON CONFLICT(id, queue) DO NOTHING
