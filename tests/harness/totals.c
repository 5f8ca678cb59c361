#include "harness/totals.h"

#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "harness/check.h"
#include "harness/fixture.h"

enum { PAGES_MAX = 1000, STEPS_MAX = 1000 }; /* a cursor or a bound that never ends is a failure */

/* Lets all that is over go, in bounded steps. */
static void tend_all(struct fixture *f, const char *queue) {
    struct rv_tended tended = {.more = true};
    for (int steps = 0; tended.more; steps++) {
        CHECK(steps < STEPS_MAX);
        CHECK_CALL(f, rv_store_tend(handle(f), queue, &tended, &f->err));
    }
}

static uint64_t count_records(struct fixture *f, const char *queue, enum reeve_state state) {
    struct rv_list_query query = {.queue = queue, .state = state, .limit = RV_LIST_MAX};
    char after[RV_CURSOR_SIZE];
    uint64_t count = 0;
    int pages = 0;
    do {
        struct rv_jobs page;
        CHECK(pages++ < PAGES_MAX);
        CHECK_CALL(f, rv_store_list(handle(f), &query, &page, &f->err));
        for (size_t i = 0; i < page.count; i++)
            CHECK_INT(page.jobs[i]->state, state);
        count += page.count;
        memcpy(after, page.cursor, sizeof after);
        rv_jobs_release(&page);
        query.after = after;
    } while (*after);
    return count;
}

static void check_counts(struct fixture *f, const struct reeve_queue *stats) {
    CHECK_INT(stats->delayed, count_records(f, stats->name, REEVE_DELAYED));
    CHECK_INT(stats->ready, count_records(f, stats->name, REEVE_READY));
    CHECK_INT(stats->running, count_records(f, stats->name, REEVE_RUNNING));
    CHECK_INT(stats->done, count_records(f, stats->name, REEVE_DONE));
    CHECK_INT(stats->failed, count_records(f, stats->name, REEVE_FAILED));
    CHECK_INT(stats->cancelled, count_records(f, stats->name, REEVE_CANCELLED));
}

static void add_stats(struct totals *sum, uint64_t *alive, const struct reeve_queue *stats) {
    sum->pushed += stats->pushed_total;
    sum->finished += stats->finished_total;
    sum->retried += stats->retried_total;
    sum->lapsed += stats->lapsed_total;
    sum->fenced += stats->fenced_total;
    sum->removed += stats->dropped_total;
    sum->refused += stats->refused_total;
    *alive += stats->delayed + stats->ready + stats->running;
}

static struct rv_names all_queues(struct fixture *f) {
    struct rv_names names;
    CHECK_CALL(f, rv_store_queues(handle(f), NULL, RV_LIST_MAX, &names, &f->err));
    (void)adopt(f, names.names);
    return names;
}

void check_totals_as_they_stand(struct fixture *f) {
    struct totals sum = {0};
    uint64_t alive = 0;
    struct rv_names names = all_queues(f);
    for (size_t i = 0; i < names.count; i++) {
        struct reeve_queue stats;
        CHECK_CALL(f, rv_store_stats(handle(f), names.names[i], &stats, &f->err));
        check_counts(f, &stats);
        add_stats(&sum, &alive, &stats);
    }
    const struct totals *expected = &f->expected;
    CHECK_INT(sum.pushed, expected->pushed);
    CHECK_INT(sum.finished, expected->finished);
    CHECK_INT(sum.retried, expected->retried);
    CHECK_INT(sum.lapsed, expected->lapsed);
    CHECK_INT(sum.fenced, expected->fenced);
    CHECK_INT(sum.removed, expected->removed);
    CHECK_INT(sum.refused, expected->refused);
    CHECK_INT(alive, sum.pushed + expected->revived - sum.finished - expected->removed);
}

void check_totals(struct fixture *f) {
    struct rv_names names = all_queues(f);
    for (size_t i = 0; i < names.count; i++)
        tend_all(f, names.names[i]);
    check_totals_as_they_stand(f);
}
