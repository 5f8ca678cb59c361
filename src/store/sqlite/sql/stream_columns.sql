-- What streams.c reads of a stream, in this order.
n, name, holder, token, deadline, touched, retries, offered, since, yielding, held_by, info
