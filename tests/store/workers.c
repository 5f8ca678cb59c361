/* The registry of workers: for people, and each member with a time of its own (T12). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/topics.h"

static void beat(struct fixture *f, const char *id, const char *name, int64_t ttl_ms) {
    struct rv_worker_row row = {
        .threads = 4, .running = 3, .started_at_ms = 1234567, .claimed_at_ms = 2345678};
    (void)snprintf(row.id, sizeof row.id, "%s", id);
    (void)snprintf(row.name, sizeof row.name, "%s", name);
    (void)snprintf(row.queues, sizeof row.queues, "jobs others");
    (void)snprintf(row.kinds, sizeof row.kinds, "mail *");
    row.degraded_since_ms = 7654321;
    CHECK_CALL(f, rv_store_beat(handle(f), &row, ttl_ms, &f->err));
}

static size_t count_workers(struct fixture *f) {
    struct rv_workers workers;
    CHECK_CALL(f, rv_store_workers(handle(f), &workers, &f->err));
    free(workers.rows);
    return workers.count;
}

static struct rv_worker_row find_worker(struct fixture *f, const char *id) {
    struct rv_workers workers;
    CHECK_CALL(f, rv_store_workers(handle(f), &workers, &f->err));
    (void)adopt(f, workers.rows);
    for (size_t i = 0; i < workers.count; i++)
        if (strcmp(workers.rows[i].id, id) == 0) return workers.rows[i];
    return (struct rv_worker_row){0};
}

static void a_worker_registers_and_leaves(struct fixture *f) { /* A55 */
    CHECK_INT(count_workers(f), 0);
    beat(f, "id1", "host:1", 60000);
    beat(f, "id2", "host:1", 60000); /* a name is no identity */
    CHECK_INT(count_workers(f), 2);
    struct rv_worker_row row = find_worker(f, "id1");
    int64_t now = rv_clock_wall_ms(&f->clock);
    CHECK_STR(row.name, "host:1");
    CHECK_STR(row.queues, "jobs others");
    CHECK_STR(row.kinds, "mail *");
    CHECK_INT(row.threads, 4);
    CHECK_INT(row.running, 3);
    CHECK_INT(row.started_at_ms, 1234567);
    CHECK_INT(row.degraded_since_ms, 7654321);
    CHECK_INT(row.claimed_at_ms, 2345678);
    CHECK_BETWEEN(row.seen_at_ms, now - 60000, now);
    CHECK_CALL(f, rv_store_leave(handle(f), "id1", &f->err));
    CHECK_INT(count_workers(f), 1);
    CHECK_STR(find_worker(f, "id2").id, "id2");
    CHECK_CALL(f, rv_store_leave(handle(f), "id1", &f->err)); /* again: no error */
}

static void each_worker_expires_by_itself(struct fixture *f) { /* A55 T12 J13 */
    beat(f, "long", "a", 60000);
    beat(f, "brief", "b", 5000);
    move_clock(f, 5001);
    CHECK_INT(count_workers(f), 1);
    CHECK_STR(find_worker(f, "long").id, "long");
    move_clock(f, 60001);
    CHECK_INT(count_workers(f), 0);
}

static void a_beat_prolongs(struct fixture *f) { /* A55 T12 */
    beat(f, "id", "before", 5000);
    for (int i = 0; i < 5; i++) {
        move_clock(f, 4000);
        CHECK_INT(count_workers(f), 1); /* by the beat before, not by a new one */
        beat(f, "id", "after", 5000);
    }
    struct rv_worker_row row = find_worker(f, "id");
    int64_t now = rv_clock_wall_ms(&f->clock);
    CHECK_STR(row.name, "after"); /* and the row tells of the last one */
    CHECK_BETWEEN(row.seen_at_ms, now - 3000, now);
    move_clock(f, 5001);
    CHECK_INT(count_workers(f), 0);
    beat(f, "id", "again", 5000);
    CHECK_INT(count_workers(f), 1);
}

static void no_job_hangs_on_the_registry(struct fixture *f) { /* T11 T12 */
    beat(f, "id", "w", 5000);
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a");
    CHECK_CALL(f, rv_store_leave(handle(f), "id", &f->err));
    CHECK_STATE(f, "a", REEVE_RUNNING);
    CHECK(renew(f, held));
    CHECK_INT(recover(f), 1); /* found without the registry */
    (void)claim_as(f, "w2", "a");
}

static const struct store_test tests[] = {
    TEST(a_worker_registers_and_leaves),
    TEST(each_worker_expires_by_itself),
    TEST(a_beat_prolongs),
    TEST(no_job_hangs_on_the_registry),
    {0},
};

const struct topic topic_workers = {"workers", tests};
