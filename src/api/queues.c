#include <stdlib.h>
#include <string.h>

#include "api/errmsg.h"
#include "api/handle.h"
#include "core/limits.h"

/* One block, the name behind the struct. */
static struct reeve_queue *pack(const struct reeve_queue *from) {
    size_t size = strlen(from->name) + 1;
    struct reeve_queue *queue = malloc(sizeof *queue + size);
    if (!queue) return NULL;
    *queue = *from;
    queue->name = memcpy(queue + 1, from->name, size);
    return queue;
}

int reeve_queue_read(reeve *r, const char *queue, struct reeve_queue **out) {
    struct rv_error err = {0};
    struct reeve_queue stats;
    *out = NULL;
    int rc = rv_store_stats(r->service.store, queue, &stats, &err);
    if (!rc && !(*out = pack(&stats))) rc = rv_fail(&err, REEVE_ENOMEM, "out of memory");
    return rv_api_result(rc, &err);
}

/* Shows one page of queues; *after becomes the last name, "" at the end. */
static int list_page(struct rv_store *store, char after[REEVE_NAME_SIZE], reeve_queue_fn *fn,
                     void *arg, struct rv_error *err) {
    struct rv_names names;
    int rc = rv_store_queues(store, after[0] ? after : NULL, RV_LIST_MAX, &names, err);
    if (rc) return rc;
    after[0] = '\0';
    for (size_t i = 0; !rc && i < names.count; i++) {
        struct reeve_queue stats;
        rc = rv_store_stats(store, names.names[i], &stats, err);
        if (!rc && fn(arg, &stats)) goto out;
        if (rc == REEVE_ENOENT) rc = 0; /* a store may know the name before the queue */
    }
    if (!rc && names.count == RV_LIST_MAX)
        memcpy(after, names.names[names.count - 1], REEVE_NAME_SIZE);
out:
    free(names.names);
    return rc;
}

int reeve_queue_list(reeve *r, reeve_queue_fn *fn, void *arg) {
    struct rv_error err = {0};
    char after[REEVE_NAME_SIZE] = "";
    int rc;
    do {
        rc = list_page(r->service.store, after, fn, arg, &err);
    } while (!rc && after[0]);
    return rv_api_result(rc, &err);
}

int reeve_pause(reeve *r, const char *queue, bool paused) {
    struct rv_error err = {0};
    struct reeve_queue stats;
    /* Pausing makes a queue, so that it can be paused before its first job; resuming does not. */
    int rc = paused ? 0 : rv_store_stats(r->service.store, queue, &stats, &err);
    if (!rc) rc = rv_store_pause(r->service.store, queue, paused, &err);
    return rv_api_result(rc, &err);
}

int reeve_queue_set(reeve *r, const char *queue, const struct reeve_queue_settings *settings) {
    struct rv_error err = {0};
    struct reeve_queue_settings checked;
    int rc = rv_check_queue_settings(settings, &checked, &err);
    if (!rc) rc = rv_store_set(r->service.store, queue, &checked, &err);
    return rv_api_result(rc, &err);
}

/* Step by step until none is left (J11). */
static int purge_state(struct rv_store *store, const char *queue, enum reeve_state state,
                       uint64_t *removed, struct rv_error *err) {
    size_t step;
    int rc;
    do {
        rc = rv_store_purge(store, queue, state, &step, err);
        *removed += step;
    } while (!rc && step);
    return rc;
}

int reeve_queue_purge(reeve *r, const char *queue, enum reeve_state state, uint64_t *removed) {
    struct rv_error err = {0};
    struct rv_store *store = r->service.store;
    struct reeve_queue stats;
    uint64_t count = 0;
    int rc = rv_store_stats(store, queue, &stats, &err); /* tells an unknown queue from an empty */
    if (!rc) rc = purge_state(store, queue, state ? state : REEVE_DELAYED, &count, &err);
    if (!rc && !state) rc = purge_state(store, queue, REEVE_READY, &count, &err);
    if (removed) *removed = count;
    return rv_api_result(rc, &err);
}
