-- Lanes of a queue that is not there. One row: how many.
SELECT count(*) FROM lane WHERE queue NOT IN (SELECT n FROM queue)
