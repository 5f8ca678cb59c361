/* The spool as its user sees it. */
#include <stdlib.h>
#include <string.h>

#include "api/errmsg.h"
#include "api/handle.h"
#include "core/limits.h"
#include "core/parcel.h"
#include "service/forwarder.h"

enum { QUEUES_PAGE = 100 };

/* The spool of a handle that has one, and its file. */
static int find(reeve *r, const struct reeve_spool_info *out, struct rv_store **file,
                struct rv_error *err) {
    int rc = out ? rv_check_size("reeve_spool_info", out->size, sizeof *out, err) : 0;
    if (rc) return rc;
    if (!r->service.spool) return rv_fail(err, REEVE_ESTATE, "this handle has no spool");
    return rv_spool_file(r->service.spool, file, err);
}

static int read_info(reeve *r, struct rv_store *file, uint64_t forwarded,
                     struct reeve_spool_info *out, struct rv_error *err) {
    struct reeve_queue queue = {0};
    int rc = out ? rv_store_stats(file, rv_spool_queue(r->service.spool), &queue, err) : 0;
    if (!out || (rc && rc != REEVE_ENOENT)) return rc;
    *out = (struct reeve_spool_info){
        .size = out->size,
        .waiting = queue.ready + queue.delayed + queue.running,
        .refused = queue.failed,
        .forwarded = forwarded,
        .oldest_ms = queue.oldest_ready_ms,
    };
    return 0;
}

int reeve_spool_read(reeve *r, struct reeve_spool_info *out) {
    struct rv_error err = {0};
    struct rv_store *file;
    int rc = find(r, out, &file, &err);
    if (!rc) rc = read_info(r, file, 0, out, &err);
    return rv_api_result(rc, &err);
}

int reeve_spool_forward(reeve *r, struct reeve_spool_info *out) {
    struct rv_error err = {0}, ignored;
    struct rv_store *file;
    struct rv_forwarded done;
    int rc = find(r, out, &file, &err);
    if (rc) return rv_api_fail(&err);
    rc = rv_forwarder_pass(&r->service, r->service.spool, NULL, &done, &err);
    int read = read_info(r, file, done.forwarded, out, rc ? &ignored : &err);
    return rv_api_result(rc ? rc : read, &err);
}

/* ---- listing ---- */

struct listing {
    struct rv_store *file;
    reeve_spooled_fn *fn;
    void *arg;
    bool stopped;
};

/* One that cannot be read is shown as it lies there: those behind it are sound. */
static struct reeve_spooled damaged(const struct reeve_job *job, struct reeve_failure *why) {
    return (struct reeve_spooled){
        .store = "",
        .queue = "",
        .id = job->id,
        .kind = "",
        .body = job->body,
        .body_size = job->body_size,
        .at_ms = job->created_at_ms,
        .refused = job->state == REEVE_FAILED,
        .error = why,
    };
}

static struct reeve_spooled sound(const struct reeve_job *job, const struct rv_parcel *parcel) {
    return (struct reeve_spooled){
        .store = parcel->target,
        .queue = parcel->job.queue,
        .id = parcel->job.id,
        .kind = parcel->job.kind,
        .body = parcel->job.body.data,
        .body_size = parcel->job.body.size,
        .at_ms = parcel->at_ms,
        .run_at_ms = parcel->job.run_at_ms,
        .refused = job->state == REEVE_FAILED,
        .error = job->error,
    };
}

static void show(struct listing *list, const struct reeve_job *job) {
    struct rv_parcel parcel;
    struct rv_error err = {0};
    struct reeve_failure why = {.message = err.text, .code = "damaged"};
    int rc = rv_parcel_read((struct rv_bytes){job->body, job->body_size}, &parcel, &err);
    struct reeve_spooled spooled = rc ? damaged(job, &why) : sound(job, &parcel);
    if (list->fn(list->arg, &spooled)) list->stopped = true;
}

static int list_queue(struct listing *list, const char *queue, struct rv_error *err) {
    char after[RV_CURSOR_SIZE] = "";
    int rc;
    do {
        struct rv_jobs page = {0};
        struct rv_list_query query = {
            .queue = queue, .after = after[0] ? after : NULL, .limit = RV_LIST_MAX};
        rc = rv_store_list(list->file, &query, &page, err);
        for (size_t i = 0; !rc && !list->stopped && i < page.count; i++)
            show(list, page.jobs[i]);
        memcpy(after, page.cursor, sizeof after);
        rv_jobs_release(&page);
    } while (!rc && !list->stopped && after[0]);
    return rc;
}

int reeve_spool_list(reeve *r, reeve_spooled_fn *fn, void *arg) {
    struct listing list = {.fn = fn, .arg = arg};
    struct rv_error err = {0};
    char after[REEVE_NAME_SIZE] = "";
    bool last = false;
    int rc = find(r, NULL, &list.file, &err);
    while (!rc && !last && !list.stopped) {
        struct rv_names names = {0};
        rc = rv_store_queues(list.file, after[0] ? after : NULL, QUEUES_PAGE, &names, &err);
        for (size_t i = 0; !rc && !list.stopped && i < names.count; i++)
            rc = list_queue(&list, names.names[i], &err);
        last = names.count < QUEUES_PAGE;
        if (!last) memcpy(after, names.names[names.count - 1], sizeof after);
        free(names.names);
    }
    return rv_api_result(rc, &err);
}

/* ---- what was refused ---- */

static int revive_page(struct rv_store *file, const char *queue, uint64_t *count,
                       struct rv_error *err) {
    struct rv_jobs page = {0};
    struct rv_list_query query = {.queue = queue, .state = REEVE_FAILED, .limit = RV_LIST_MAX};
    int rc = rv_store_list(file, &query, &page, err);
    bool more = page.count > 0;
    for (size_t i = 0; !rc && i < page.count; i++) {
        rc = rv_store_revive(file, queue, page.jobs[i]->id, err);
        if (!rc) ++*count;
        if (rc == REEVE_ENOENT || rc == REEVE_ESTATE) rc = 0; /* somebody else did */
    }
    rv_jobs_release(&page);
    return rc ? rc : more;
}

int reeve_spool_revive(reeve *r, uint64_t *count) {
    struct rv_error err = {0};
    struct rv_store *file;
    uint64_t revived = 0;
    int rc = find(r, NULL, &file, &err);
    if (!rc) {
        do {
            rc = revive_page(file, rv_spool_queue(r->service.spool), &revived, &err);
        } while (rc > 0);
        (void)rv_service_forward(&r->service, NULL); /* others do, if there is no memory here */
    }
    if (count) *count = revived;
    return rv_api_result(rc, &err);
}

int reeve_spool_purge(reeve *r, uint64_t *count) {
    struct rv_error err = {0};
    struct rv_store *file;
    uint64_t purged = 0;
    size_t removed = 1;
    int rc = find(r, NULL, &file, &err);
    while (!rc && removed) {
        rc = rv_store_purge(file, rv_spool_queue(r->service.spool), REEVE_FAILED, &removed, &err);
        if (!rc) purged += removed;
    }
    if (count) *count = purged;
    return rv_api_result(rc, &err);
}
