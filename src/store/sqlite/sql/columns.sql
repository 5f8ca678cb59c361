-- What record.c reads of a job, in this order.
n, id, state, priority, seq, run_at, attempt, flags, holder, expires, kind, terms, body, past,
error, result
