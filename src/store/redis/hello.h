/* What is said first on a new connection: who we are, and which database. */
#ifndef RV_STORE_REDIS_HELLO_H
#define RV_STORE_REDIS_HELLO_H

#include "store/redis/conn.h"

/* REEVE_EUNREACHABLE if the server will not have us, or not yet. */
int rv_rd_hello(struct rv_rd_conn *conn, int64_t deadline_ms, struct rv_error *err);

#endif
