-- They go.
DELETE FROM event WHERE queue NOT IN (SELECT n FROM queue)
