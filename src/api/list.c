/* Listing jobs. The cursor names the queue to go on in and, after a slash, the store's own cursor
 * there: "QUEUE/CURSOR", or "QUEUE/" for its beginning. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/errmsg.h"
#include "api/handle.h"
#include "core/limits.h"

struct listing {
    struct rv_store *store;
    const struct reeve_filter *filter;
    reeve_job_fn *fn;
    void *arg;
    size_t left; /* jobs still to be shown */
    bool stopped;
    char queue[REEVE_NAME_SIZE]; /* "": all have been listed */
    char after[RV_CURSOR_SIZE];  /* "": from the beginning of queue */
};

/* The queue after the present one, or the first. */
static int next_queue(struct listing *list, struct rv_error *err) {
    struct rv_names names;
    int rc = rv_store_queues(list->store, list->queue[0] ? list->queue : NULL, 1, &names, err);
    if (rc) return rc;
    list->queue[0] = list->after[0] = '\0';
    if (names.count) memcpy(list->queue, names.names[0], sizeof list->queue);
    free(names.names);
    return 0;
}

static int parse_cursor(struct listing *list, const char *cursor, struct rv_error *err) {
    const char *slash = strchr(cursor, '/');
    size_t size = slash ? (size_t)(slash - cursor) : 0;
    if (!size || size > RV_NAME_MAX || strlen(slash + 1) >= sizeof list->after)
        return rv_fail(err, REEVE_EINVAL, "after: '%s' is not a cursor of a list", cursor);
    memcpy(list->queue, cursor, size);
    list->queue[size] = '\0';
    (void)snprintf(list->after, sizeof list->after, "%s", slash + 1);
    if (list->filter->queue && strcmp(list->filter->queue, list->queue) != 0)
        return rv_fail(err, REEVE_EINVAL, "after: '%s' is a cursor of another queue's list",
                       cursor);
    return 0;
}

static int begin(struct listing *list, struct rv_error *err) {
    if (list->filter->after) return parse_cursor(list, list->filter->after, err);
    if (!list->filter->queue) return next_queue(list, err);
    (void)snprintf(list->queue, sizeof list->queue, "%s", list->filter->queue);
    return 0;
}

static void show(struct listing *list, const struct rv_jobs *page) {
    for (size_t i = 0; i < page->count && !list->stopped; i++) {
        list->left--;
        if (list->fn(list->arg, page->jobs[i])) list->stopped = true;
    }
}

/* Shows the next page and moves on behind it. */
static int list_page(struct listing *list, struct rv_error *err) {
    struct rv_list_query query = {
        .queue = list->queue,
        .state = list->filter->state,
        .kind = list->filter->kind,
        .after = list->after[0] ? list->after : NULL,
        .limit = list->left,
    };
    struct rv_jobs page;
    int rc = rv_store_list(list->store, &query, &page, err);
    if (rc) return rc;
    show(list, &page);
    memcpy(list->after, page.cursor, sizeof list->after);
    rv_jobs_release(&page);
    if (list->after[0]) return 0;
    if (!list->filter->queue) return next_queue(list, err);
    list->queue[0] = '\0';
    return 0;
}

static int make_cursor(const struct listing *list, char **out, struct rv_error *err) {
    if (!list->queue[0] || list->stopped) return 0;
    size_t size = strlen(list->queue) + 1 + strlen(list->after) + 1;
    *out = malloc(size);
    if (!*out) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    (void)snprintf(*out, size, "%s/%s", list->queue, list->after);
    return 0;
}

int reeve_list(reeve *r, const struct reeve_filter *filter, reeve_job_fn *fn, void *arg,
               char **cursor) {
    struct rv_error err = {0};
    struct reeve_filter checked;
    if (cursor) *cursor = NULL;
    int rc = rv_check_filter(filter, &checked, &err);
    if (rc) return rv_api_fail(&err);
    struct listing list = {
        .store = r->service.store,
        .filter = &checked,
        .fn = fn,
        .arg = arg,
        .left = checked.limit,
    };
    rc = begin(&list, &err);
    while (!rc && list.left && list.queue[0] && !list.stopped)
        rc = list_page(&list, &err);
    if (!rc && cursor) rc = make_cursor(&list, cursor, &err);
    return rv_api_result(rc, &err);
}
