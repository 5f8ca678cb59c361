/* Connections that wait to be used again. A call takes one for itself, so no thread waits for
 * another's; those given back are kept for the next. The last connection is kept until the end,
 * which keeps the write-ahead log where it is. When another file has taken its place they are
 * all closed, once the last is back, and the path is opened anew; while there is none, none is
 * given. */
#ifndef RV_STORE_SQLITE_POOL_H
#define RV_STORE_SQLITE_POOL_H

#include "base/log.h"
#include "store/sqlite/conn.h"
#include "store/sqlite/files.h"
#include "store/sqlite/vfs.h"

struct rv_sq_pool {
    const char *path; /* absolute */
    const char *synchronous;
    struct rv_sq_vfs vfs;
    const struct rv_log *log;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t all_back;
    struct rv_sq_conn *idle;
    size_t out; /* how many are in use */
    bool told;  /* that the file is not the one any more */
    unsigned replacements;
    struct rv_sq_files files;
};

int rv_sq_pool_init(struct rv_sq_pool *pool, const char *path, const char *synchronous,
                    const struct rv_log *log, struct rv_error *err);
void rv_sq_pool_release(struct rv_sq_pool *pool); /* no connection may be out */

/* A connection for the caller alone, with timeout_ms for what it may wait for from now on. */
int rv_sq_pool_take(struct rv_sq_pool *pool, int64_t timeout_ms, struct rv_sq_conn **out,
                    struct rv_error *err);
void rv_sq_pool_give(struct rv_sq_pool *pool, struct rv_sq_conn *conn);
/* How many files took the place of the first, as far as is known; and whether there is one more
 * by now. */
unsigned rv_sq_pool_replacements(struct rv_sq_pool *pool);
bool rv_sq_pool_replaced_since(struct rv_sq_pool *pool, unsigned replacements);

#endif
