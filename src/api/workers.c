#include <stdlib.h>
#include <string.h>

#include "api/errmsg.h"
#include "api/handle.h"
#include "core/check.h"
#include "work/worker.h"

int reeve_worker_open(reeve_worker **out, reeve *r, const struct reeve_worker_options *options) {
    struct rv_error err = {0};
    struct reeve_worker_options checked;
    *out = NULL;
    int rc = rv_check_worker_options(options, &checked, &err);
    if (!rc) rc = rv_worker_create(out, &r->service, &checked, &err);
    return rv_api_result(rc, &err);
}

static int check_not_started(reeve_worker *w, struct rv_error *err) {
    if (!rv_worker_started(w)) return 0;
    return rv_fail(err, REEVE_ESTATE, "handlers are set before the worker is started");
}

int reeve_worker_handle(reeve_worker *w, const char *kind, reeve_handler *fn, void *arg) {
    struct rv_error err = {0};
    int rc = check_not_started(w, &err);
    if (!rc) rc = rv_handlers_add_function(&w->handlers, kind, fn, arg, &err);
    return rv_api_result(rc, &err);
}

int reeve_worker_exec(reeve_worker *w, const char *kind, const char *const argv[]) {
    struct rv_error err = {0};
    int rc = check_not_started(w, &err);
    if (!rc) rc = rv_handlers_add_program(&w->handlers, kind, argv, &err);
    return rv_api_result(rc, &err);
}

int reeve_worker_start(reeve_worker *w) {
    struct rv_error err = {0};
    return rv_api_result(rv_worker_start(w, &err), &err);
}

void reeve_worker_quiet(reeve_worker *w, bool quiet) {
    rv_worker_quiet(w, quiet);
}

void reeve_worker_stop(reeve_worker *w, int64_t grace_ms) {
    rv_worker_stop(w, grace_ms);
}

int reeve_worker_wait(reeve_worker *w, int64_t timeout_ms) {
    struct rv_error err = {0};
    return rv_api_result(rv_worker_wait(w, timeout_ms, &err), &err);
}

int reeve_worker_drain(reeve_worker *w, int64_t grace_ms) {
    rv_worker_stop(w, grace_ms);
    return reeve_worker_wait(w, REEVE_NONE);
}

int reeve_worker_stats(reeve_worker *w, struct reeve_worker_stats *out) {
    struct rv_error err = {0};
    struct reeve_worker_stats stats;
    size_t size = out->size;
    int rc = rv_check_size("reeve_worker_stats", size, sizeof stats, &err);
    if (!rc) rc = rv_worker_stats(w, &stats, &err);
    if (rc) return rv_api_fail(&err);
    memcpy(out, &stats, sizeof stats);
    out->size = size;
    return 0;
}

void reeve_worker_dump(reeve_worker *w) {
    rv_worker_dump(w);
}

void reeve_worker_close(reeve_worker *w) {
    rv_worker_destroy(w);
}

int reeve_worker_list(reeve *r, reeve_worker_fn *fn, void *arg) {
    struct rv_error err = {0};
    struct rv_workers workers = {0};
    if (rv_store_workers(r->service.store, &workers, &err)) return rv_api_fail(&err);
    int64_t now_ms = rv_store_now_ms(r->service.store);
    for (size_t i = 0; i < workers.count; i++) {
        const struct rv_worker_row *row = &workers.rows[i];
        struct reeve_worker_info info = {
            .id = row->id,
            .name = row->name,
            .queues = row->queues,
            .kinds = row->kinds,
            .threads = row->threads,
            .running = row->running,
            .started_at_ms = row->started_at_ms,
            .seen_at_ms = row->seen_at_ms,
            .degraded_since_ms = row->degraded_since_ms,
            .claimed_at_ms = row->claimed_at_ms,
        };
        if (row->claimed_at_ms && now_ms > row->claimed_at_ms)
            info.since_claim_ms = now_ms - row->claimed_at_ms;
        if (fn(arg, &info)) break;
    }
    free(workers.rows);
    return 0;
}
