-- What all queues of all spaces count. Rows in the order of recount.c, by n.
SELECT n, space, name, token, seq, delayed, ready, running, done, failed, cancelled
FROM queue ORDER BY n
