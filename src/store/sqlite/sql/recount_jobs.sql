-- All jobs. Rows: queue, state, seq.
SELECT queue, state, seq FROM job
