/* Gathers what is known of a job, its queue and its workers; core/why.c makes a sentence of it. */
#include <stdlib.h>
#include <string.h>

#include "api/errmsg.h"
#include "api/handle.h"
#include "core/why.h"

static void count_worker(struct rv_why *why, const struct rv_worker_row *worker) {
    if (!rv_words_hold(worker->queues, why->job->queue)) return;
    why->serving++;
    bool says = worker->kinds[0] != '\0';
    if (says && !rv_words_hold(worker->kinds, why->job->kind)) return;
    why->knowing++;
    why->threads += (uint64_t)worker->threads;
    why->busy += worker->running;
}

static int gather_facts(struct rv_store *store, struct rv_why *why, struct rv_error *err) {
    struct reeve_queue queue;
    struct rv_workers workers;
    int rc = rv_store_stats(store, why->job->queue, &queue, err);
    if (rc) return rc;
    why->paused = queue.paused;
    why->ready = queue.ready;
    rc = rv_store_workers(store, &workers, err);
    if (rc) return rc;
    for (size_t i = 0; i < workers.count; i++)
        count_worker(why, &workers.rows[i]);
    free(workers.rows);
    return 0;
}

int reeve_why(reeve *r, const char *queue, const char *id, char **out) {
    struct rv_error err = {0};
    struct reeve_job *job = NULL;
    char text[RV_WHY_SIZE] = "";
    *out = NULL;
    int rc = rv_store_read(r->service.store, queue, id, &job, &err);
    if (!rc) {
        struct rv_why why = {.job = job};
        rc = gather_facts(r->service.store, &why, &err);
        if (!rc) rv_why_tell(&why, text);
    }
    free(job);
    if (!rc && !(*out = strdup(text))) rc = rv_fail(&err, REEVE_ENOMEM, "out of memory");
    return rv_api_result(rc, &err);
}
