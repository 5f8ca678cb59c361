#include "store/late.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/around.h"

enum { AGAIN_MS = 200 }; /* who asks sooner is told what the last attempt came to */

struct late {
    struct rv_around around;
    struct rv_store nowhere; /* around's inner one until the store is open: it only has a table */
    struct rv_store_config config;
    char space[REEVE_NAME_SIZE];
    atomic_bool is_open; /* set after around.inner */

    pthread_mutex_t lock; /* guards the rest; held by whoever opens the store, and by nobody else */
    int64_t next_ms;      /* CLOCK_BOOTTIME: not before then */
    struct rv_error last; /* why it could not be had */
    char url[];
};

static struct late *late_of(struct rv_store *s) {
    return (struct late *)(void *)s; /* the store is the head of all three */
}

/* With the lock. */
static int try_to_open(struct late *late) {
    struct rv_store *store;
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real);
    if (atomic_load(&late->is_open)) return 0;
    if (now_ms < late->next_ms) return late->last.code;
    int rc = rv_store_open(&store, late->url, &late->config, &late->last);
    late->next_ms = rv_clock_boot_ms(&rv_clock_real) + AGAIN_MS;
    if (rc) return rc;
    late->around.inner = store;
    atomic_store(&late->is_open, true);
    return 0;
}

/* One opens it; the others do not wait for that. */
static int open_first(struct rv_around *around, struct rv_call *call, struct rv_error *err) {
    struct late *late = (struct late *)around;
    (void)call;
    if (atomic_load(&late->is_open)) return 0;
    if (pthread_mutex_trylock(&late->lock))
        return rv_fail(err, REEVE_EUNREACHABLE, "the store is being looked for");
    int rc = try_to_open(late);
    if (rc) (void)rv_fail(err, rc, "%s", late->last.text);
    (void)pthread_mutex_unlock(&late->lock);
    return rc;
}

static int64_t late_now_ms(const struct rv_store *s) {
    const struct late *late = (const struct late *)(const void *)s;
    return atomic_load(&late->is_open) ? rv_store_now_ms(late->around.inner)
                                       : rv_clock_wall_ms(late->config.clock);
}

static void late_wake(struct rv_store *s) {
    if (atomic_load(&late_of(s)->is_open)) rv_store_wake(late_of(s)->around.inner);
}

static bool late_failover(struct rv_store *s, uint64_t after, struct rv_failover *out) {
    return atomic_load(&late_of(s)->is_open) &&
           rv_store_failover(late_of(s)->around.inner, after, out);
}

static void late_close(struct rv_store *s) {
    struct late *late = late_of(s);
    if (atomic_load(&late->is_open)) rv_store_close(late->around.inner);
    (void)pthread_mutex_destroy(&late->lock);
    free(late);
}

static int create(struct rv_store **out, const char *url, const struct rv_store_config *config,
                  const struct rv_error *why, struct rv_error *err) {
    struct late *late = calloc(1, sizeof *late + strlen(url) + 1);
    if (!late || pthread_mutex_init(&late->lock, NULL)) {
        free(late);
        return rv_fail(err, REEVE_ENOMEM, "out of memory");
    }
    late->nowhere.ops = rv_store_ops_of(url);
    rv_around_init(&late->around, &late->nowhere);
    late->around.before = open_first;
    late->around.ops.now_ms = late_now_ms;
    late->around.ops.wake = late_wake;
    late->around.ops.failover = late_failover;
    late->around.ops.close = late_close;
    memcpy(late->url, url, strlen(url) + 1);
    (void)snprintf(late->space, sizeof late->space, "%s", config->space); /* checked: it fits */
    late->config = *config;
    late->config.space = late->space;
    late->last = *why;
    late->next_ms = rv_clock_boot_ms(&rv_clock_real) + AGAIN_MS;
    *out = &late->around.base;
    return 0;
}

int rv_late_open(struct rv_store **out, const char *url, const struct rv_store_config *config,
                 struct rv_error *err) {
    struct rv_error why = {0};
    int rc = rv_store_open(out, url, config, &why);
    if (!rc) return 0;
    if (rc == REEVE_EUNREACHABLE) return create(out, url, config, &why, err);
    return rv_fail(err, rc, "%s", why.text);
}
