-- What record.c reads of a job, in this order.
n, id, state, priority, seq, run_at, attempt, cancelling, holder, expires, kind, terms, body, past,
error, result
