/* One job, and many: read, revive, remove, keep, expire, list. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "store/topics.h"

/* "a" in every state that a record can have, made from nothing. */
static void bring_to(struct fixture *f, const char *id, enum reeve_state state) {
    if (state == REEVE_DELAYED) {
        (void)push_delayed(f, id, 10 * KEEP_MS);
        return;
    }
    (void)push(f, id);
    if (state == REEVE_READY) return;
    if (state == REEVE_CANCELLED) {
        CHECK_OK(cancel(f, id, NULL));
        return;
    }
    struct held held = claim_as(f, "w", id);
    if (state == REEVE_DONE) CHECK_OK(finish_with_result(f, held, "r", 1));
    if (state == REEVE_FAILED) CHECK_OK(finish(f, held, RV_GIVEN_UP));
}

/* READY last: what bring_to() claims must come next in line. */
static const enum reeve_state all_states[] = {REEVE_DELAYED, REEVE_RUNNING,   REEVE_DONE,
                                              REEVE_FAILED,  REEVE_CANCELLED, REEVE_READY};
enum { STATE_COUNT = 6 };

static void bring_all(struct fixture *f) {
    for (int i = 0; i < STATE_COUNT; i++)
        bring_to(f, reeve_state_name(all_states[i]), all_states[i]);
}

static void every_state_reads_back(struct fixture *f) { /* A50 A61 */
    bring_all(f);
    for (int i = 0; i < STATE_COUNT; i++)
        CHECK_STATE(f, reeve_state_name(all_states[i]), all_states[i]);
    CHECK_GONE(f, "unknown");
    struct reeve_queue queue = stats(f);
    CHECK_INT(queue.delayed, 1);
    CHECK_INT(queue.ready, 1);
    CHECK_INT(queue.running, 1);
    CHECK_INT(queue.done, 1);
    CHECK_INT(queue.failed, 1);
    CHECK_INT(queue.cancelled, 1);
}

static void only_failed_and_cancelled_jobs_are_revived(struct fixture *f) { /* J1 */
    bring_all(f);
    CHECK_FAILS(revive(f, "delayed"), REEVE_ESTATE);
    CHECK_FAILS(revive(f, "ready"), REEVE_ESTATE);
    CHECK_FAILS(revive(f, "running"), REEVE_ESTATE);
    CHECK_FAILS(revive(f, "done"), REEVE_ESTATE);
    CHECK_FAILS(revive(f, "unknown"), REEVE_ENOENT);
    CHECK_OK(revive(f, "failed"));
    CHECK_OK(revive(f, "cancelled"));
    CHECK_FAILS(revive(f, "failed"), REEVE_ESTATE);
    CHECK_STATE(f, "failed", REEVE_READY);
    CHECK_STATE(f, "cancelled", REEVE_READY);
}

static void a_revived_job_starts_over(struct fixture *f) {
    (void)push(f, "a");
    for (int i = 0; i < 3; i++) {
        CHECK_OK(finish(f, claim_as(f, "w", "a"), RV_FAILED_ATTEMPT));
        move_clock(f, RETRY_MS + 1);
    }
    CHECK_OK(revive(f, "a"));
    const struct reeve_job *job = read_job(f, "a");
    CHECK_INT(job->attempt, 0);
    CHECK_INT(job->ended_at_ms, 0);
    CHECK_INT(job->history_count, 3); /* history and error are kept */
    CHECK_STR(job->error->code, "exit:1");
    CHECK_BYTES(job->body, job->body_size, "a", 1);
    for (int attempt = 1; attempt <= 3; attempt++) {
        struct held held = claim_as(f, "w", "a");
        CHECK_INT(held.job->attempt, attempt);
        CHECK_OK(finish(f, held, RV_FAILED_ATTEMPT));
        move_clock(f, RETRY_MS + 1);
    }
    CHECK_STATE(f, "a", REEVE_FAILED);
    CHECK_INT(read_job(f, "a")->history_count, 6);
}

static void a_revived_job_does_not_expire(struct fixture *f) { /* T43 */
    (void)push(f, "a");
    CHECK_OK(cancel(f, "a", NULL));
    CHECK_OK(revive(f, "a"));
    bring_to(f, "b", REEVE_CANCELLED);
    CHECK_INT(push(f, "b").status, REEVE_QUEUED);
    move_clock(f, KEEP_MS + 1);
    CHECK_INT(tend(f).expired, 0);
    (void)claim_as(f, "w", "a");
    (void)claim_as(f, "w", "b");
}

static void all_but_a_running_job_can_be_removed(struct fixture *f) { /* A50 */
    bring_all(f);
    for (int i = 0; i < STATE_COUNT; i++) {
        const char *id = reeve_state_name(all_states[i]);
        if (all_states[i] == REEVE_RUNNING) {
            CHECK_FAILS(remove_job(f, id), REEVE_ESTATE);
            CHECK_STATE(f, id, REEVE_RUNNING);
            continue;
        }
        CHECK_OK(remove_job(f, id));
        CHECK_GONE(f, id);
        CHECK_FAILS(remove_job(f, id), REEVE_ENOENT);
    }
    move_clock(f, 20 * KEEP_MS);
    CHECK_NOTHING_TO_CLAIM(f);
}

static void a_removed_id_is_new(struct fixture *f) { /* A44 T19 */
    bring_all(f);
    for (int i = 0; i < STATE_COUNT; i++) {
        const char *id = reeve_state_name(all_states[i]);
        if (all_states[i] == REEVE_RUNNING) continue;
        CHECK_OK(remove_job(f, id));
        CHECK_INT(push(f, id).status, REEVE_QUEUED);
        CHECK_INT(read_job(f, id)->history_count, 0);
        CHECK(!read_job(f, id)->result);
    }
    move_clock(f, 20 * KEEP_MS); /* neither expired nor promoted by what is left of the old ones */
    (void)tend(f);
    for (int i = 0; i < STATE_COUNT; i++)
        if (all_states[i] != REEVE_RUNNING) (void)claim_as(f, "w", reeve_state_name(all_states[i]));
    CHECK_NOTHING_TO_CLAIM(f);
}

static void a_record_goes_when_it_was_kept_long_enough(struct fixture *f) { /* A53 A54 J13 T21 */
    static const int64_t keeps[] = {1000, 600000};
    static const char *const ids[] = {"brief", "long"};
    for (int i = 0; i < 2; i++) {
        struct rv_new_job job = new_job(f, ids[i]);
        job.policy.keep_ms = keeps[i];
        (void)push_job(f, &job);
        CHECK_OK(finish_with_result(f, claim_as(f, "w", ids[i]), "r", 1));
    }
    move_clock(f, 1001);
    CHECK_GONE(f, "brief"); /* also before upkeep has seen it */
    const struct reeve_job *job = read_job(f, "long");
    CHECK(job);
    CHECK_BYTES(job->result, job->result_size, "r", 1);
    struct rv_tended tended = tend(f);
    CHECK_INT(tended.expired, 1); /* J12 */
    CHECK(!tended.more);
    CHECK_BETWEEN(tended.next_in_ms, 1, 600000);
    CHECK_INT(stats(f).done, 1);
    move_clock(f, 600001);
    tended = tend(f);
    CHECK_INT(tended.expired, 1);
    CHECK_INT(tended.next_in_ms, -1);
    CHECK_INT(tend(f).expired, 0);
    CHECK_INT(stats(f).done, 0);
}

static void an_expired_record_is_gone_for_every_operation(struct fixture *f) { /* A114 */
    bring_to(f, "a", REEVE_CANCELLED);
    move_clock(f, KEEP_MS + 1);
    CHECK_GONE(f, "a");
    CHECK_FAILS(cancel(f, "a", NULL), REEVE_ENOENT);
    CHECK_FAILS(revive(f, "a"), REEVE_ENOENT);
    CHECK_FAILS(keep(f, "a", 1000), REEVE_ENOENT); /* A109 */
    CHECK_FAILS(remove_job(f, "a"), REEVE_ENOENT);
    struct rv_jobs page;
    struct rv_list_query query = {.queue = f->queue, .limit = 10};
    CHECK_CALL(f, rv_store_list(handle(f), &query, &page, &f->err));
    CHECK_INT(page.count, 0);
    rv_jobs_release(&page);
}

static void a_cancelled_record_is_kept_as_pushed(struct fixture *f) {
    struct rv_new_job job = new_job(f, "a");
    job.policy.keep_ms = 5000;
    (void)push_job(f, &job);
    CHECK_OK(cancel(f, "a", NULL));
    move_clock(f, 2000);
    CHECK_STATE(f, "a", REEVE_CANCELLED);
    move_clock(f, 3001);
    CHECK_GONE(f, "a");
}

static void keep_sets_the_time_anew(struct fixture *f) { /* A107 A109 */
    bring_to(f, "done", REEVE_DONE);
    bring_to(f, "failed", REEVE_FAILED);
    bring_to(f, "cancelled", REEVE_CANCELLED);
    CHECK_OK(keep(f, "done", 2 * KEEP_MS));
    CHECK_OK(keep(f, "failed", 60000)); /* the recorded policy by which a failure goes: J12 */
    CHECK_OK(keep(f, "cancelled", 60000));
    move_clock(f, 30000);
    CHECK_STATE(f, "failed", REEVE_FAILED);
    move_clock(f, 30001);
    CHECK_GONE(f, "failed");
    CHECK_GONE(f, "cancelled");
    CHECK_INT(tend(f).expired, 2);
    move_clock(f, KEEP_MS);
    CHECK_STATE(f, "done", REEVE_DONE);
    CHECK_INT(tend(f).expired, 0);
    move_clock(f, KEEP_MS);
    CHECK_INT(tend(f).expired, 1);
}

static void keep_is_for_ended_jobs(struct fixture *f) { /* A109 */
    bring_all(f);
    CHECK_FAILS(keep(f, "delayed", 1000), REEVE_ESTATE);
    CHECK_FAILS(keep(f, "ready", 1000), REEVE_ESTATE);
    CHECK_FAILS(keep(f, "running", 1000), REEVE_ESTATE);
    CHECK_FAILS(keep(f, "unknown", 1000), REEVE_ENOENT);
    move_clock(f, 1001);
    CHECK_STATE(f, "running", REEVE_RUNNING);
}

static void a_failure_kept_for_a_time_can_be_revived(struct fixture *f) { /* T43 */
    bring_to(f, "a", REEVE_FAILED);
    CHECK_OK(keep(f, "a", 60000));
    CHECK_OK(revive(f, "a"));
    move_clock(f, 60001);
    CHECK_INT(tend(f).expired, 0);
    (void)claim_as(f, "w", "a");
    CHECK_STATE(f, "a", REEVE_RUNNING);
}

static void tending_tells_when_to_come_again(struct fixture *f) {
    (void)push(f, "a");
    CHECK_INT(tend(f).next_in_ms, -1);
    (void)push_delayed(f, "b", 60000);
    CHECK_BETWEEN(tend(f).next_in_ms, 1, 60000);
    CHECK_OK(cancel(f, "a", NULL));
    CHECK_OK(keep(f, "a", 5000));
    CHECK_BETWEEN(tend(f).next_in_ms, 1, 5000);
    move_clock(f, 60001);
    struct rv_tended tended = tend(f);
    CHECK_INT(tended.promoted, 1);
    CHECK_INT(tended.expired, 1);
    CHECK_STATE(f, "b", REEVE_READY);
}

/* Walks a listing page by page and counts each id in seen[] by its number: "nN". Returns the
 * total. */
static size_t walk(struct fixture *f, struct rv_list_query query, int *seen) {
    char after[RV_CURSOR_SIZE] = "";
    size_t total = 0;
    do {
        struct rv_jobs page;
        query.after = *after ? after : NULL;
        CHECK_CALL(f, rv_store_list(handle(f), &query, &page, &f->err));
        CHECK(page.count <= query.limit);
        for (size_t i = 0; i < page.count; i++)
            seen[strtol(page.jobs[i]->id + 1, NULL, 10)]++;
        total += page.count;
        CHECK(total < 10000); /* a cursor that goes round in circles */
        CHECK(strspn(page.cursor, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789_-") == strlen(page.cursor));
        memcpy(after, page.cursor, sizeof after);
        rv_jobs_release(&page);
    } while (*after);
    return total;
}

static void a_listing_shows_each_job_once(struct fixture *f) {
    enum { COUNT = 103 };
    static const size_t limits[] = {1, 10, 100, RV_LIST_MAX};
    push_many(f, "n", COUNT, NULL);
    for (int i = 0; i < 4; i++) {
        int seen[COUNT] = {0};
        CHECK_INT(walk(f, (struct rv_list_query){.queue = "jobs", .limit = limits[i]}, seen),
                  COUNT);
        for (int n = 0; n < COUNT; n++)
            CHECK_INT(seen[n], 1);
    }
}

static void a_listing_can_be_narrowed(struct fixture *f) {
    static const char *const kinds[] = {"mail", "video"};
    char id[16];
    for (int n = 0; n < 20; n++) {
        struct rv_new_job job = new_job(f, (snprintf(id, sizeof id, "n%d", n), id));
        job.kind = kinds[n % 2];
        (void)push_job(f, &job);
    }
    for (int n = 0; n < 5; n++) {
        struct held held = claim_as(f, "w", (snprintf(id, sizeof id, "n%d", n), id));
        if (n < 3) CHECK_OK(finish(f, held, RV_SUCCEEDED));
    }
    struct rv_list_query done = {.queue = "jobs", .state = REEVE_DONE, .limit = 2};
    struct rv_list_query running = {.queue = "jobs", .state = REEVE_RUNNING, .limit = 2};
    struct rv_list_query video = {.queue = "jobs", .kind = "video", .limit = 3};
    struct rv_list_query ready_mail = {
        .queue = "jobs", .kind = "mail", .state = REEVE_READY, .limit = 3};
    int seen[20] = {0};
    CHECK_INT(walk(f, done, seen), 3);
    CHECK_INT(seen[0] + seen[1] + seen[2], 3);
    CHECK_INT(walk(f, running, seen), 2);
    CHECK_INT(seen[3] + seen[4], 2);
    CHECK_INT(walk(f, video, seen), 10);
    CHECK_INT(walk(f, ready_mail, seen), 7);
    CHECK_INT(walk(f, (struct rv_list_query){.queue = "others", .limit = 3}, seen), 0);
}

static void a_listing_shows_whole_records(struct fixture *f) {
    bring_to(f, "a", REEVE_DONE);
    struct rv_jobs page;
    struct rv_list_query query = {.queue = "jobs", .state = REEVE_DONE, .limit = 10};
    CHECK_CALL(f, rv_store_list(handle(f), &query, &page, &f->err));
    CHECK_INT(page.count, 1);
    const struct reeve_job *job = page.jobs[0];
    CHECK_STR(job->id, "a");
    CHECK_STR(job->queue, "jobs");
    CHECK_BYTES(job->body, job->body_size, "a", 1);
    CHECK_INT(job->history_count, 1);
    rv_jobs_release(&page);
}

static const struct store_test tests[] = {
    TEST(every_state_reads_back),
    TEST(only_failed_and_cancelled_jobs_are_revived),
    TEST(a_revived_job_starts_over),
    TEST(a_revived_job_does_not_expire),
    TEST(all_but_a_running_job_can_be_removed),
    TEST(a_removed_id_is_new),
    TEST(a_record_goes_when_it_was_kept_long_enough),
    TEST(an_expired_record_is_gone_for_every_operation),
    TEST(a_cancelled_record_is_kept_as_pushed),
    TEST(keep_sets_the_time_anew),
    TEST(keep_is_for_ended_jobs),
    TEST(a_failure_kept_for_a_time_can_be_revived),
    TEST(tending_tells_when_to_come_again),
    TEST(a_listing_shows_each_job_once),
    TEST(a_listing_can_be_narrowed),
    TEST(a_listing_shows_whole_records),
    {0},
};

const struct topic topic_jobs = {"jobs", tests};
