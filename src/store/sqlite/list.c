/* list: records by their number, so that a page begins where the one before ended. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/sqlite/claim.h"

enum { LOOKS_MAX = 20 * RV_LIST_MAX }; /* J11: a filter that matches little gives short pages */

struct page {
    struct rv_sq_step *step;
    const struct rv_list_query *asked;
    struct rv_jobs *out;
    int64_t at; /* the last record looked at */
    size_t bytes;
};

static int parse_cursor(const char *cursor, int64_t *out, struct rv_error *err) {
    char *end;
    *out = strtoll(cursor, &end, 10);
    if (!*end && *out >= 0) return 0;
    return rv_fail(err, REEVE_EINVAL, "not a cursor of this store: '%s'", cursor);
}

static bool is_full(const struct page *page) {
    return page->out->count == page->asked->limit || page->bytes >= RV_TAKE_BYTES_MAX;
}

static int add(struct page *page, const struct rv_sq_query *query, struct rv_error *err) {
    struct rv_jobs *out = page->out;
    struct rv_sq_record record;
    int rc = rv_sq_record_read(query, &record, err);
    if (!rc) rc = rv_sq_show(page->step, &record, NULL, &out->jobs[out->count], err);
    if (rc) return rc;
    page->bytes += out->jobs[out->count]->body_size + out->jobs[out->count]->result_size;
    page->at = record.n;
    out->count++;
    return 0;
}

/* The number up to which this page looks; 0: to the end. */
static int find_bound(const struct page *page, int64_t *out, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(page->step->conn, RV_SQLITE_SQL_LIST_BOUND);
    rv_sq_bind_int(&query, page->at);
    rv_sq_bind_int(&query, LOOKS_MAX - 1);
    *out = rv_sq_row(&query) ? rv_sq_int(&query, 0) : 0;
    return rv_sq_end(&query, 0, err);
}

static int gather(struct page *page, struct rv_error *err) {
    int64_t bound;
    int rc = find_bound(page, &bound, err);
    if (rc) return rc;
    struct rv_sq_query query = rv_sq_query(page->step->conn, RV_SQLITE_SQL_LIST);
    rv_sq_bind_int(&query, page->step->queue.n);
    rv_sq_bind_int(&query, page->at);
    rv_sq_bind_int(&query, bound ? bound : INT64_MAX);
    rv_sq_bind_int(&query, page->asked->state);
    if (page->asked->kind)
        rv_sq_bind_text(&query, page->asked->kind);
    else
        rv_sq_bind_null(&query);
    rv_sq_bind_int(&query, page->step->now_ms);
    while (!rc && !is_full(page) && rv_sq_row(&query))
        rc = add(page, &query, err);
    /* Only a full page that leaves a match behind ends before its bound. */
    if (!rc && !(is_full(page) && rv_sq_row(&query))) page->at = bound;
    return rv_sq_end(&query, rc, err);
}

static int list_within(struct page *page, struct rv_error *err) {
    struct rv_jobs *out = page->out;
    int rc = rv_sq_queue_load(page->step, page->asked->queue, err);
    if (rc || !page->step->queue.n) return rc;
    out->jobs = calloc(page->asked->limit, sizeof(*out->jobs));
    if (!out->jobs) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    rc = gather(page, err);
    if (page->at) (void)snprintf(out->cursor, sizeof out->cursor, "%" PRId64, page->at);
    return rc;
}

int rv_sq_list(struct rv_store *s, const struct rv_list_query *query, struct rv_jobs *out,
               struct rv_error *err) {
    struct rv_sq_step step;
    struct page page = {.step = &step, .asked = query, .out = out};
    int rc = query->after ? parse_cursor(query->after, &page.at, err) : 0;
    if (!rc) rc = rv_sq_step_read(&step, s, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, list_within(&page, err), err);
}
