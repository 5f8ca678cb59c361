-- They go.
DELETE FROM lane WHERE queue NOT IN (SELECT n FROM queue)
