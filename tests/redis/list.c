/* Pages of a queue that changes all the while: whatever stood there all the time is listed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redis/queue.h"

enum { STANDING_MAX = 1000 };

/* Puts in count jobs named by letter and number, from that number on. */
static void push_range(struct line *line, struct rv_store *store, char letter, int from,
                       int count) {
    enum { BATCH = 500 };
    static struct rv_new_job jobs[BATCH];
    static struct rv_pushed pushed[BATCH];
    static char ids[BATCH][16];
    for (int i = 0; i < count;) {
        int n = 0;
        for (; n < BATCH && i < count; n++, i++) {
            (void)snprintf(ids[n], sizeof ids[n], "%c%d", letter, from + i);
            jobs[n] = new_one(ids[n]);
        }
        CHECK_OK(rv_store_push(store, "jobs", jobs, (size_t)n, pushed, &line->err));
    }
}

static void remove_range(struct line *line, struct rv_store *store, char letter, int from,
                         int count) {
    char id[16];
    for (int i = 0; i < count; i++) {
        (void)snprintf(id, sizeof id, "%c%d", letter, from + i);
        CHECK_OK(rv_store_remove(store, "jobs", id, &line->err));
    }
}

static void note_page(const struct rv_jobs *page, bool seen[STANDING_MAX]) {
    for (size_t i = 0; i < page->count; i++)
        if (*page->jobs[i]->id == 's') seen[strtol(page->jobs[i]->id + 1, NULL, 10)] = true;
}

/* burst: so many come after the first page, and go after the third. */
static void check_all_listed(struct line *line, int standing, size_t limit, int burst) {
    static bool seen[STANDING_MAX];
    struct rv_store *store = open_store(line);
    char cursor[RV_CURSOR_SIZE] = "";
    int pages = 0;
    memset(seen, 0, sizeof seen);
    COMMAND(line, "FLUSHALL");
    push_range(line, store, 's', 0, standing);
    do {
        struct rv_jobs page;
        struct rv_list_query query = {
            .queue = "jobs", .after = *cursor ? cursor : NULL, .limit = limit};
        CHECK_OK(rv_store_list(store, &query, &page, &line->err));
        CHECK(page.count <= limit);
        CHECK_INT(strspn(page.cursor, "0123456789abcdef-"), strlen(page.cursor));
        note_page(&page, seen);
        memcpy(cursor, page.cursor, sizeof cursor);
        rv_jobs_release(&page);
        pages++;
        if (pages == 1) push_range(line, store, 'x', 0, burst);
        if (pages == 3) remove_range(line, store, 'x', 0, burst);
        push_range(line, store, 'y', pages, 1); /* one comes, and one goes */
        if (pages > 1) remove_range(line, store, 'y', pages - 1, 1);
        CHECK(pages < 100 * STANDING_MAX);
    } while (*cursor);
    for (int i = 0; i < standing; i++) {
        if (!seen[i]) print_error("s%d of %d, limit %zu, burst %d\n", i, standing, limit, burst);
        CHECK(seen[i]);
    }
    rv_store_close(store);
}

static void nothing_that_stands_is_missed(void **state) {
    static const int standings[] = {1, 5, 40, 600};
    static const size_t limits[] = {1, 2, 7, 100};
    static const int bursts[] = {0, 50, 2000};
    struct line *line = *state;
    start_queue(line, "");
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++)
            for (size_t k = 0; k < 3; k++)
                check_all_listed(line, standings[i], limits[j], bursts[k]);
}

static void a_foreign_cursor_is_refused(void **state) {
    static const char *const cursors[] = {"x",          "0",       "0-0-0", "0-0-0-0-0-0",
                                          "0-0-0-0-40", "0-0-0-g", "-"};
    struct line *line = *state;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    for (size_t i = 0; i < sizeof cursors / sizeof *cursors; i++) {
        struct rv_jobs page;
        struct rv_list_query query = {.queue = "jobs", .after = cursors[i], .limit = 1};
        CHECK_FAILS(rv_store_list(store, &query, &page, &line->err), REEVE_EINVAL);
    }
    rv_store_close(store);
}

const struct CMUnitTest list_tests[] = {
    REDIS_TEST(nothing_that_stands_is_missed),
    REDIS_TEST(a_foreign_cursor_is_refused),
};
const size_t list_test_count = sizeof list_tests / sizeof *list_tests;
