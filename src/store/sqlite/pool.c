#include "store/sqlite/pool.h"

#include "base/clock.h"
#include "base/cond.h"
#include "store/sqlite/checkpoint.h"

int rv_sq_pool_init(struct rv_sq_pool *pool, const char *path, const char *synchronous,
                    const struct rv_log *log, struct rv_error *err) {
    *pool = (struct rv_sq_pool){.path = path, .synchronous = synchronous, .log = log};
    if (rv_sq_vfs_init(&pool->vfs)) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    if (!pthread_mutex_init(&pool->lock, NULL)) {
        if (!rv_cond_init(&pool->all_back)) return 0;
        (void)pthread_mutex_destroy(&pool->lock);
    }
    rv_sq_vfs_release(&pool->vfs);
    return rv_fail(err, REEVE_ENOMEM, "out of memory");
}

static void close_idle(struct rv_sq_pool *pool) {
    while (pool->idle) {
        struct rv_sq_conn *conn = pool->idle;
        pool->idle = conn->next;
        rv_sq_conn_close(conn);
    }
}

/* No connection is out. The old file may live on under another name: what was committed belongs
 * into it. Whatever takes its place must not be given its log. False: others still use that. */
static bool part_with_file(struct rv_sq_pool *pool) {
    bool whole = !pool->idle || rv_sq_checkpoint_all(pool->idle);
    if (!whole && rv_sq_files_leave_logs(&pool->files)) return false;
    rv_sq_files_remove_logs(&pool->files);
    close_idle(pool);
    return true;
}

/* SQLite leaves the log of a file that is not where it was. A file that is gone may come back to
 * others who use both: they keep their log, and whatever comes in its place finds nothing there. */
static void leave_file(struct rv_sq_pool *pool) {
    enum rv_sq_files_state state = rv_sq_files_look(&pool->files, pool->path);
    if (state == RV_SQ_FILES_REPLACED) (void)part_with_file(pool);
    if (state == RV_SQ_FILES_GONE && pool->idle) (void)rv_sq_checkpoint_all(pool->idle);
}

void rv_sq_pool_release(struct rv_sq_pool *pool) {
    leave_file(pool);
    close_idle(pool);
    (void)pthread_cond_destroy(&pool->all_back);
    (void)pthread_mutex_destroy(&pool->lock);
    rv_sq_vfs_release(&pool->vfs);
}

/* ---- a file that was replaced; the lock is held ---- */
static void tell_once(struct rv_sq_pool *pool) {
    char path[RV_QUOTED_SIZE];
    if (pool->told) return;
    pool->told = true;
    rv_log(pool->log, REEVE_LOG_WARN, "store.replaced",
           "path=%s reason=\"the file was replaced or removed while it is in use\"",
           rv_log_quote(path, pool->path));
}

static int await_all(struct rv_sq_pool *pool, int64_t deadline_ms, struct rv_error *err) {
    int64_t left_ms = deadline_ms - rv_clock_boot_ms(&rv_clock_real);
    if (left_ms <= 0)
        return rv_fail(err, REEVE_EUNREACHABLE,
                       "%s was replaced, and calls on the old file did not end in time",
                       pool->path);
    rv_cond_wait(&pool->all_back, &pool->lock, left_ms);
    return 0;
}

static int meet_anew(struct rv_sq_pool *pool, struct rv_error *err) {
    if (!part_with_file(pool))
        return rv_fail(err, REEVE_EUNREACHABLE,
                       "%s was replaced, and others still use the log of the old file", pool->path);
    pool->told = false;
    pool->replacements++;
    return rv_sq_files_meet(&pool->files, pool->path, err);
}

unsigned rv_sq_pool_replacements(struct rv_sq_pool *pool) {
    (void)pthread_mutex_lock(&pool->lock);
    unsigned count = pool->replacements;
    (void)pthread_mutex_unlock(&pool->lock);
    return count;
}

bool rv_sq_pool_replaced_since(struct rv_sq_pool *pool, unsigned replacements) {
    (void)pthread_mutex_lock(&pool->lock);
    bool replaced = pool->replacements != replacements ||
                    rv_sq_files_look(&pool->files, pool->path) == RV_SQ_FILES_REPLACED;
    (void)pthread_mutex_unlock(&pool->lock);
    return replaced;
}

/* A file that is gone is not made anew: whoever took it away may be about to put it, or another
 * one, in its place, and what was acknowledged meanwhile would be lost. */
static int check_file(struct rv_sq_pool *pool, int64_t deadline_ms, struct rv_error *err) {
    for (;;) {
        enum rv_sq_files_state state = rv_sq_files_look(&pool->files, pool->path);
        if (state == RV_SQ_FILES_UNMET) return rv_sq_files_meet(&pool->files, pool->path, err);
        if (state == RV_SQ_FILES_STAND) {
            pool->told = false;
            return 0;
        }
        tell_once(pool);
        if (state == RV_SQ_FILES_GONE)
            return rv_fail(err, REEVE_EUNREACHABLE, "%s was replaced or removed while it is in use",
                           pool->path);
        if (!pool->out) return meet_anew(pool, err);
        int rc = await_all(pool, deadline_ms, err);
        if (rc) return rc;
    }
}

/* ---- taking and giving ---- */
static void count_back(struct rv_sq_pool *pool) {
    if (--pool->out == 0) (void)pthread_cond_broadcast(&pool->all_back);
}

static int open_another(struct rv_sq_pool *pool, int64_t deadline_ms, struct rv_sq_conn **out,
                        struct rv_error *err) {
    struct rv_sq_source source = {.path = pool->path,
                                  .files = &pool->files,
                                  .vfs = *pool->vfs.name ? pool->vfs.name : NULL,
                                  .synchronous = pool->synchronous};
    int rc = rv_sq_conn_open(&source, deadline_ms, out, err);
    (void)pthread_mutex_lock(&pool->lock);
    if (rc)
        count_back(pool);
    else if (rv_sq_files_look(&pool->files, pool->path) ==
             RV_SQ_FILES_STAND) /* else they may be another's */
        rv_sq_files_meet_logs(&pool->files);
    (void)pthread_mutex_unlock(&pool->lock);
    return rc;
}

int rv_sq_pool_take(struct rv_sq_pool *pool, int64_t timeout_ms, struct rv_sq_conn **out,
                    struct rv_error *err) {
    int64_t deadline_ms = rv_time_add(rv_clock_boot_ms(&rv_clock_real), timeout_ms);
    struct rv_sq_conn *conn = NULL;
    (void)pthread_mutex_lock(&pool->lock);
    int rc = check_file(pool, deadline_ms, err);
    if (!rc) {
        conn = pool->idle;
        if (conn) pool->idle = conn->next;
        pool->out++;
    }
    (void)pthread_mutex_unlock(&pool->lock);
    if (rc) return rc;
    if (!conn) return open_another(pool, deadline_ms, out, err);
    conn->deadline_ms = deadline_ms;
    conn->tries = 0;
    *out = conn;
    return 0;
}

void rv_sq_pool_give(struct rv_sq_pool *pool, struct rv_sq_conn *conn) {
    if (conn->broken) {
        rv_sq_conn_close(conn);
        conn = NULL;
    }
    (void)pthread_mutex_lock(&pool->lock);
    if (conn) {
        conn->next = pool->idle;
        pool->idle = conn;
    }
    count_back(pool);
    (void)pthread_mutex_unlock(&pool->lock);
}
