/* Where a push stands that a server took, as seen from the one that keeps it now; and what is kept
 * of pushes until that is known. */
#include "store/redis/history.h"

#include <string.h>

#include "redis/redis_tests.h"
#include "store/redis/recent.h"

#define OLD "1111111111111111111111111111111111111111"
#define NEW "2222222222222222222222222222222222222222"
#define NONE "0000000000000000000000000000000000000000"

static const char first[] = "# Replication\r\nrole:master\r\nconnected_slaves:2\r\n"
                            "slave0:ip=127.0.0.1,port=7001,state=online,offset=900,lag=0\r\n"
                            "slave1:ip=127.0.0.1,port=7002,state=online,offset=850,lag=1\r\n"
                            "master_replid:" OLD "\r\nmaster_replid2:" NONE "\r\n"
                            "master_repl_offset:1000\r\nsecond_repl_offset:-1\r\n";
static const char follower[] =
    "# Replication\r\nrole:master\r\nconnected_slaves:0\r\n"
    "master_replid:" NEW "\r\nmaster_replid2:" OLD "\r\n"
    "master_repl_offset:1200\r\nsecond_repl_offset:851\r\n"; /* it has 850 bytes of the first's */

static enum rv_rd_standing stand(const char *info, const char *history, int64_t offset) {
    struct rv_rd_history at;
    struct rv_rd_point point = {.offset = offset};
    (void)snprintf(point.history, sizeof point.history, "%s", history);
    CHECK(rv_rd_history_read(info, &at));
    return rv_rd_history_standing(&at, &point);
}

static void only_what_came_after_the_fork_is_lost(void **state) {
    (void)state;
    CHECK_INT(stand(first, OLD, 700), RV_RD_STANDING_SAME);
    CHECK_INT(stand(follower, OLD, 700), RV_RD_STANDING_COMMON);
    CHECK_INT(stand(follower, OLD, 849), RV_RD_STANDING_COMMON);
    CHECK_INT(stand(follower, OLD, 850), RV_RD_STANDING_LOST);
    CHECK_INT(stand(follower, OLD, 999), RV_RD_STANDING_LOST);
    CHECK_INT(stand(follower, NEW, 1100), RV_RD_STANDING_SAME);
}

static void what_cannot_be_told_is_not_lost(void **state) {
    struct rv_rd_history at;
    (void)state;
    CHECK_INT(stand(first, NEW, 999), RV_RD_STANDING_UNKNOWN);
    CHECK_INT(stand(first, NONE, 999), RV_RD_STANDING_UNKNOWN); /* of nobody, which nobody is */
    CHECK_INT(stand(follower, "", 999), RV_RD_STANDING_UNKNOWN);
    CHECK(!rv_rd_history_read("role:slave\r\nmaster_replid:" OLD "\r\nmaster_repl_offset:9\r\n",
                              &at));
    CHECK(!rv_rd_history_read("role:master\r\n", &at));
    CHECK(!rv_rd_history_read("", &at));
}

static void the_slowest_replica_counts(void **state) {
    struct rv_rd_history at;
    (void)state;
    CHECK(rv_rd_history_read(first, &at));
    CHECK_INT(at.passed_on, 850);
    CHECK(rv_rd_history_read(follower, &at));
    CHECK_INT(at.passed_on, -1);
}

/* ---- what is kept ---- */
static size_t count(struct rv_list *list) {
    size_t found = 0;
    for (struct rv_list *at = list->next; at != list; at = at->next)
        found++;
    return found;
}

static void pushes_are_kept_up_to_a_bound(void **state) {
    static char body[RV_RD_RECENT_BODY + 1];
    struct rv_rd_recent recent;
    struct rv_rd_point point = {.history = OLD, .offset = 1};
    struct rv_new_job job = {
        .queue = "q", .kind = "default", .id = "id", .body = {body, RV_RD_RECENT_BODY}};
    struct rv_list all;
    (void)state;
    CHECK_INT(rv_rd_recent_init(&recent, NULL), 0);
    for (int i = 0; i < 40; i++)
        rv_rd_recent_add(&recent, &job, &point, 0);
    uint64_t dropped = rv_rd_recent_dropped(&recent);
    job.body.size++;
    rv_rd_recent_add(&recent, &job, &point, 0);
    CHECK_INT(rv_rd_recent_dropped(&recent), 1);
    rv_rd_recent_take(&recent, &all);
    CHECK(rv_rd_recent_is_empty(&recent));
    CHECK_INT(count(&all) + dropped, 40);
    CHECK(count(&all) * RV_RD_RECENT_BODY <= RV_RD_RECENT_BYTES && count(&all) >= 15);
    rv_rd_recent_free(&all);
    rv_rd_recent_release(&recent);
}

static void a_delay_counts_from_the_first_push(void **state) {
    struct rv_rd_recent recent;
    struct rv_rd_point point = {.history = OLD};
    struct rv_new_job job = {.queue = "q", .kind = "k", .id = "later", .delay_ms = 5000};
    struct rv_list all;
    (void)state;
    CHECK_INT(rv_rd_recent_init(&recent, NULL), 0);
    rv_rd_recent_add(&recent, &job, &point, 1000000);
    job.id = "now";
    job.delay_ms = 0;
    rv_rd_recent_add(&recent, &job, &point, 1000000);
    rv_rd_recent_take(&recent, &all);
    const struct rv_rd_recent_push *push =
        rv_container_of(all.next, struct rv_rd_recent_push, link);
    CHECK_STR(push->job.id, "later");
    CHECK_INT(push->job.run_at_ms, 1005000);
    push = rv_container_of(all.prev, struct rv_rd_recent_push, link);
    CHECK_STR(push->job.id, "now");
    CHECK_INT(push->job.run_at_ms, 0);
    rv_rd_recent_put_back(&recent, &all);
    CHECK(!rv_rd_recent_is_empty(&recent));
    rv_rd_recent_release(&recent);
}

const struct CMUnitTest history_tests[] = {
    cmocka_unit_test(only_what_came_after_the_fork_is_lost),
    cmocka_unit_test(what_cannot_be_told_is_not_lost),
    cmocka_unit_test(the_slowest_replica_counts),
    cmocka_unit_test(pushes_are_kept_up_to_a_bound),
    cmocka_unit_test(a_delay_counts_from_the_first_push),
};
const size_t history_test_count = sizeof history_tests / sizeof *history_tests;
