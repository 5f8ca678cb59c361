/* One queue over several shards: each id has one of them, claims go round, and a change of their
 * number that is cut off anywhere is brought to its end by whoever comes next. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "harness/together.h"
#include "redis/queue.h"
#include "store/redis/splits.h"

enum { SHARDS = 4, JOBS = 40, TIMEOUT_MS = 20000, LEASE_MS = 30000 };

#define SAID_KEY "rv:{test}:shards"

static int set_shards(struct line *line, struct rv_store *store, int count) {
    const struct reeve_queue_settings settings = {.shards = count};
    return rv_store_set(store, "jobs", &settings, &line->err);
}

static struct reeve_queue stats(struct line *line, struct rv_store *store) {
    struct reeve_queue queue = {0};
    CHECK_OK(rv_store_stats(store, "jobs", &queue, &line->err));
    return queue;
}

static struct rv_store *start(struct line *line) {
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    CHECK_OK(set_shards(line, store, SHARDS));
    return store;
}

static void name(char id[16], int number) {
    (void)snprintf(id, 16, "job-%d", number);
}

static void push_many(struct line *line, struct rv_store *store, int count) {
    char id[16];
    for (int i = 0; i < count; i++) {
        name(id, i);
        push_one(line, store, id);
    }
}

static enum reeve_push_status push_again(struct line *line, struct rv_store *store,
                                         const char *id) {
    struct rv_new_job job = new_one(id);
    struct rv_pushed pushed;
    CHECK_OK(rv_store_push(store, "jobs", &job, 1, &pushed, &line->err));
    free(pushed.done);
    return pushed.status;
}

static int64_t records_of(struct line *line, int shard) {
    char key[64];
    (void)snprintf(key, sizeof key, "rv:{test/jobs#%d}:job", shard);
    return COMMAND(line, "HLEN", key);
}

/* ---- claims ---- */
struct claim {
    struct rv_exchange request;
    struct rv_exchanged got;
};

static struct claim claim_up_to(struct line *line, struct rv_store *store, uint64_t lane,
                                uint64_t number, size_t want) {
    struct claim claim = {.request = {.queue = "jobs",
                                      .timeout_ms = TIMEOUT_MS,
                                      .lane = lane,
                                      .number = number,
                                      .want = want,
                                      .holder = rv_random_nonzero(&rv_random_system),
                                      .lease_ms = LEASE_MS,
                                      .worker = "w"}};
    CHECK_OK(rv_store_exchange(store, &claim.request, &claim.got, &line->err));
    return claim;
}

static void finish_all(struct line *line, struct rv_store *store, struct claim *claim) {
    struct held_claim held = {.holder = claim->request.holder, .token = claim->got.token};
    for (size_t i = 0; i < claim->got.count; i++)
        CHECK_OK(finish_one(line, store, claim->got.jobs[i]->id, held, REEVE_DONE));
    rv_exchanged_release(&claim->got);
}

/* Claims and finishes all, and purges what is left of them. Returns how many there were. */
static size_t work_off(struct line *line, struct rv_store *store) {
    size_t count = 0, got = 1;
    while (got) {
        struct claim claim = claim_up_to(line, store, 0, 0, 7);
        got = claim.got.count;
        count += got;
        finish_all(line, store, &claim);
    }
    for (got = 1; got;)
        CHECK_OK(rv_store_purge(store, "jobs", REEVE_DONE, &got, &line->err));
    return count;
}

/* ---- ids ---- */
/* What tests/store says of one line it says of ids that lie together: the hash is for good. */
static void ids_that_lie_together_do(void **state) {
    (void)state;
    char id[16];
    for (const char *c = "0123456789"; *c; c++) {
        (void)snprintf(id, sizeof id, LINE "%c", *c);
        CHECK_INT(rv_rd_hash(id) % SHARDS, rv_rd_hash(LINE "0") % SHARDS);
    }
    for (const char *c = "abcdemqxyz"; *c; c++) {
        (void)snprintf(id, sizeof id, AISLE "%c", *c);
        CHECK_INT(rv_rd_hash(id) % SHARDS, rv_rd_hash(AISLE "a") % SHARDS);
    }
}

static void each_id_has_one_shard(void **state) { /* J14 */
    struct line *line = *state;
    struct rv_store *store = start(line), *other = open_store(line);
    char id[16];
    push_many(line, store, JOBS);
    int64_t sum = 0;
    for (int i = 0; i < SHARDS; i++) {
        int64_t records = records_of(line, i);
        CHECK(records > 0);
        sum += records;
    }
    CHECK_INT(sum, JOBS);
    for (int i = 0; i < JOBS; i++) {
        name(id, i);
        CHECK_INT(push_again(line, other, id), REEVE_DUPLICATE);
    }
    CHECK_INT(stats(line, other).ready, JOBS);
    CHECK_INT(stats(line, other).shards, SHARDS);
    CHECK_INT(work_off(line, other), JOBS);
    CHECK(is_sound(line, store));
    rv_store_close(other);
    rv_store_close(store);
}

static void every_operation_finds_its_job(void **state) {
    struct line *line = *state;
    struct rv_store *store = start(line), *other = open_store(line);
    struct reeve_job *job;
    enum reeve_state now;
    char id[16];
    push_many(line, store, 2 * SHARDS);
    for (int i = 0; i < 2 * SHARDS; i++) {
        name(id, i);
        CHECK_OK(rv_store_read(other, "jobs", id, &job, &line->err));
        CHECK_STR(job->id, id);
        free(job);
        CHECK_OK(rv_store_cancel(other, "jobs", id, &now, &line->err));
        CHECK_OK(rv_store_keep(other, "jobs", id, 1000, &line->err));
        CHECK_OK(rv_store_revive(store, "jobs", id, &line->err));
        CHECK_OK(rv_store_remove(other, "jobs", id, &line->err));
        CHECK_FAILS(rv_store_read(store, "jobs", id, &job, &line->err), REEVE_ENOENT);
    }
    CHECK_INT(stats(line, store).ready, 0);
    rv_store_close(other);
    rv_store_close(store);
}

/* A mark reaches the claim of its job, wherever that was made; so do notes and checks. */
static void every_claim_is_found_again(void **state) {
    struct line *line = *state;
    struct rv_store *store = start(line), *other = open_store(line);
    push_many(line, store, 2 * SHARDS);
    for (int i = 0; i < 2 * SHARDS; i++) {
        struct claim claim = claim_up_to(line, store, 0, 0, 1);
        CHECK_INT(claim.got.count, 1);
        const char *id = claim.got.jobs[0]->id;
        struct rv_renewal renewal = {claim.request.holder, claim.got.token, LEASE_MS, false, false};
        struct rv_note note = {id, claim.got.token, claim.request.holder, 50, "half"};
        struct rv_cancel_marks marks;
        enum reeve_state now;
        CHECK_OK(rv_store_note(other, "jobs", &note, &line->err));
        CHECK_OK(
            rv_store_check(other, "jobs", id, claim.got.token, claim.request.holder, &line->err));
        CHECK_OK(rv_store_cancel(other, "jobs", id, &now, &line->err));
        CHECK_OK(rv_store_renew(other, "jobs", &renewal, 1, TIMEOUT_MS, &marks, &line->err));
        CHECK(!renewal.lost && !renewal.missed);
        CHECK_INT(marks.count, 1);
        CHECK_STR(marks.marks[0].id, id);
        free(marks.marks);
        finish_all(line, other, &claim);
    }
    CHECK_INT(stats(line, store).finished_total, 2 * SHARDS);
    rv_store_close(other);
    rv_store_close(store);
}

/* How many a listing in pages shows: by one handle, or by another for each page, as a command that
 * is called again has it, which knows nothing of shards yet. */
static size_t list_in_pages(struct line *line, struct rv_store *one) {
    struct rv_list_query query = {.queue = "jobs", .limit = 3};
    char after[RV_CURSOR_SIZE];
    size_t count = 0;
    do {
        struct rv_store *store = one ? one : open_store(line);
        struct rv_jobs page = {0};
        CHECK_OK(rv_store_list(store, &query, &page, &line->err));
        count += page.count;
        memcpy(after, page.cursor, sizeof after);
        query.after = after;
        rv_jobs_release(&page);
        if (!one) rv_store_close(store);
    } while (*after);
    return count;
}

static void a_listing_ends_behind_the_last_shard(void **state) {
    struct line *line = *state;
    struct rv_store *store = start(line);
    push_many(line, store, JOBS);
    CHECK_INT(list_in_pages(line, store), JOBS);
    CHECK_INT(list_in_pages(line, NULL), JOBS);
    rv_store_close(store);
}

/* Of more shards than there are now. */
static void a_cursor_of_a_shard_that_is_gone_is_at_the_end(void **state) {
    struct line *line = *state;
    struct rv_store *store = start(line), *other = open_store(line);
    const struct rv_list_query query = {.queue = "jobs", .limit = 3, .after = "0-0-0-0-3"};
    struct rv_jobs page = {0};
    CHECK_OK(set_shards(line, store, 2));
    push_many(line, store, JOBS);
    for (int i = 0; i < 2; i++) { /* the second time the number is known */
        CHECK_OK(rv_store_list(other, &query, &page, &line->err));
        CHECK_INT(page.count, 0);
        CHECK_STR(page.cursor, "");
        rv_jobs_release(&page);
    }
    rv_store_close(other);
    rv_store_close(store);
}

static void a_pause_holds_in_every_shard(void **state) {
    struct line *line = *state;
    struct rv_store *store = start(line), *other = open_store(line);
    push_many(line, store, JOBS);
    CHECK_OK(rv_store_pause(store, "jobs", true, &line->err));
    for (int i = 0; i < 2 * SHARDS; i++) {
        struct claim claim = claim_up_to(line, other, 0, 0, 1);
        CHECK_INT(claim.got.count, 0);
        CHECK(claim.got.paused && claim.got.more);
        rv_exchanged_release(&claim.got);
    }
    CHECK_OK(rv_store_pause(other, "jobs", false, &line->err));
    CHECK_INT(work_off(line, store), JOBS);
    rv_store_close(other);
    rv_store_close(store);
}

/* ---- turns ---- */
/* As long as each has jobs, all have their turn in as many claims as there are shards. */
static void no_shard_starves(void **state) {
    struct line *line = *state;
    struct rv_store *store = start(line);
    int turns[64] = {0};
    push_many(line, store, 20 * SHARDS);
    for (int i = 0; i < 5 * SHARDS; i++) {
        struct claim claim = claim_up_to(line, store, 7, 1 + (uint64_t)i, 1);
        CHECK_INT(claim.got.count, 1);
        turns[claim.got.token % 64]++;
        finish_all(line, store, &claim);
    }
    for (int i = 0; i < SHARDS; i++)
        CHECK_INT(turns[i], 5);
    rv_store_close(store);
}

/* ---- idle ---- */
static int64_t cost_of_upkeep(struct line *line, struct rv_store *store) {
    struct rv_lapsed lapsed;
    struct rv_tended tended;
    int64_t before = count_commands(line);
    CHECK_OK(rv_store_lapsed(store, "jobs", &lapsed, &line->err));
    CHECK_INT(lapsed.count, 0);
    rv_lapsed_release(&lapsed);
    CHECK_OK(rv_store_tend(store, "jobs", &tended, &line->err));
    return count_commands(line) - before;
}

/* Of 64 shards in which nothing happens some are visited at a time, and all are looked at by one
 * command. One in which something has happened is visited at once. */
static void shards_in_which_nothing_happens_cost_little(void **state) {
    enum { MANY = 64 };
    struct line *line = *state;
    struct rv_store *store = start(line);
    CHECK_OK(set_shards(line, store, MANY));
    int64_t all = cost_of_upkeep(line, store), most = 0;
    for (int i = 0; i < 20; i++) {
        int64_t cost = cost_of_upkeep(line, store);
        if (cost > most) most = cost;
    }
    CHECK(all > 2 * MANY);
    CHECK_BETWEEN(most, 2, all / 4);
    struct rv_bell bell = {.queue = "jobs", .want_ready = true};
    int64_t before = count_commands(line);
    CHECK_OK(rv_store_wait(store, &bell, 1, 0, &line->err));
    CHECK_BETWEEN(count_commands(line) - before, 1, 8);
    push_one(line, store, "a");
    struct rv_store *other = open_store(line);
    struct claim claim = claim_up_to(line, other, 0, 0, 1);
    CHECK_INT(claim.got.count, 1);
    rv_exchanged_release(&claim.got);
    struct rv_lapsed lapsed;
    CHECK_OK(rv_store_lapsed(store, "jobs", &lapsed, &line->err));
    CHECK_BETWEEN(lapsed.next_in_ms, 1, LEASE_MS); /* it was seen */
    rv_lapsed_release(&lapsed);
    rv_store_close(other);
    rv_store_close(store);
}

/* ---- repeats ---- */
static void check_repeat(struct line *line, struct rv_store *store, const struct claim *first) {
    struct rv_exchange again = first->request;
    struct rv_exchanged got;
    CHECK_OK(rv_store_exchange(store, &again, &got, &line->err));
    CHECK(got.replayed);
    CHECK_INT(got.token, first->got.token);
    CHECK_INT(got.count, first->got.count);
    CHECK_STR(got.jobs[0]->id, first->got.jobs[0]->id);
    rv_exchanged_release(&got);
}

/* Whatever else went by meanwhile, and by a handle that has never heard of it. */
static void a_repeat_meets_its_claim(void **state) { /* J7 */
    enum { LANES = 2 * SHARDS };
    struct line *line = *state;
    struct rv_store *store = start(line);
    struct claim claims[LANES];
    push_many(line, store, JOBS);
    for (uint64_t i = 0; i < LANES; i++)
        claims[i] = claim_up_to(line, store, 100 + i, 1, 1);
    struct rv_store *other = open_store(line);
    for (size_t i = 0; i < LANES; i++) {
        check_repeat(line, store, &claims[i]);
        check_repeat(line, other, &claims[i]);
        rv_exchanged_release(&claims[i].got);
    }
    CHECK_INT(stats(line, store).running, LANES);
    rv_store_close(other);
    rv_store_close(store);
}

static void a_late_request_is_refused_by_all_shards(void **state) { /* J7 */
    struct line *line = *state;
    struct rv_store *store = start(line), *other = open_store(line);
    push_many(line, store, JOBS);
    for (uint64_t i = 0; i < 2 * SHARDS; i++) {
        struct claim claim = claim_up_to(line, store, 100 + i, 2, 1), late = claim;
        rv_exchanged_release(&claim.got);
        late.request.number = 1;
        CHECK_FAILS(rv_store_exchange(store, &late.request, &late.got, &line->err), REEVE_ESTATE);
        CHECK_FAILS(rv_store_exchange(other, &late.request, &late.got, &line->err), REEVE_ESTATE);
    }
    rv_store_close(other);
    rv_store_close(store);
}

/* ---- another number ---- */
static void a_handle_of_the_old_number_learns_the_new_one(void **state) {
    static const int numbers[] = {1, 3, 64, 2, 4};
    struct line *line = *state;
    struct rv_store *store = start(line), *old = open_store(line);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        push_many(line, old, JOBS); /* now it knows the number before */
        CHECK_INT(work_off(line, old), JOBS);
        CHECK_OK(set_shards(line, store, numbers[i]));
        push_many(line, old, JOBS);
        CHECK_INT(stats(line, store).ready, JOBS);
        CHECK_INT(stats(line, old).shards, numbers[i]);
        CHECK_INT(push_again(line, store, "job-1"), REEVE_DUPLICATE);
        CHECK_INT(work_off(line, store), JOBS);
        CHECK_INT(stats(line, old).pushed_total, 2 * JOBS * (i + 1));
    }
    CHECK(is_sound(line, old));
    rv_store_close(old);
    rv_store_close(store);
}

static void a_queue_with_jobs_keeps_its_number(void **state) {
    struct line *line = *state;
    struct rv_store *store = start(line);
    push_many(line, store, 1); /* of one shard: the others are closed and opened again */
    CHECK_FAILS(set_shards(line, store, 2), REEVE_ESTATE);
    CHECK(strstr(line->err.text, "holds jobs"));
    CHECK_INT(stats(line, store).shards, SHARDS);
    CHECK_INT(push_again(line, store, "job-0"), REEVE_DUPLICATE);
    CHECK_INT(work_off(line, store), 1);
    CHECK_OK(set_shards(line, store, 2));
    CHECK_INT(stats(line, store).shards, 2);
    CHECK(is_sound(line, store));
    rv_store_close(store);
}

/* ---- cut off ---- */
static int health_of_shards(struct line *line, struct rv_store *store, bool repair) {
    struct rv_findings findings;
    int health = 0;
    CHECK_OK(rv_store_examine(store, repair, &findings, &line->err));
    for (size_t i = 0; i < findings.count; i++)
        if (strcmp(findings.findings[i].check, "shards") == 0)
            health = (int)findings.findings[i].health;
    free(findings.findings);
    return health;
}

/* Whoever comes next can use the queue, and finds it in one number or the other. */
static void check_usable(struct line *line, int before, int wanted) {
    struct rv_store *next = open_store(line);
    push_many(line, next, SHARDS);
    CHECK_INT(push_again(line, next, "job-1"), REEVE_DUPLICATE);
    int now = stats(line, next).shards;
    CHECK(now == before || now == wanted);
    CHECK_INT(work_off(line, next), SHARDS);
    CHECK_INT(health_of_shards(line, next, false), REEVE_FINE);
    rv_store_close(next);
}

/* Sets the number by a line that is cut after so many bytes of the answers. Returns whether it
 * was; *half: the doctor saw that the change was. */
static bool set_cut(struct line *line, int from, int to, int64_t after, bool repair, bool *half) {
    char url[64];
    (void)snprintf(url, sizeof url, "redis://127.0.0.1:%d", proxy_port(line->proxy));
    struct rv_store *doctor = open_store(line), *store = open_store_at(line, url);
    CHECK_OK(set_shards(line, doctor, from));
    CHECK_INT(stats(line, store).shards, from);
    proxy_cut(line->proxy, PROXY_REPLIES, after);
    int rc = set_shards(line, store, to);
    proxy_cut_none(line->proxy);
    CHECK(!rc || rc == REEVE_EUNSURE || rc == REEVE_EUNREACHABLE);
    if (health_of_shards(line, doctor, false) == REEVE_DOUBTFUL) {
        *half = true;
        if (repair) CHECK_INT(health_of_shards(line, doctor, true), REEVE_REPAIRED);
        if (repair) CHECK_INT(health_of_shards(line, doctor, false), REEVE_FINE);
    }
    rv_store_close(store);
    rv_store_close(doctor);
    return rc != 0;
}

enum { SMALL = 127, LARGE = 331 }; /* bytes; a shard that is closed or opened answers with 200 */

static void cut_everywhere(struct line *line, int from, int to, int64_t step, bool repair) {
    enum { ENOUGH = 20000 };
    bool half = false, cut = false;
    int whole = 0; /* what is only asked is asked again: a cut there does no harm */
    for (int64_t after = 1; after < ENOUGH && whole < 9; after += step) {
        bool was_cut = set_cut(line, from, to, after, repair, &half);
        whole = was_cut ? 0 : whole + 1;
        cut |= was_cut;
        check_usable(line, from, to);
    }
    CHECK(cut && half);
}

static void a_change_that_is_cut_off_is_brought_to_its_end(void **state) {
    struct line *line = *state;
    rv_store_close(start(line));
    line->proxy = proxy_open(line->server->port);
    cut_everywhere(line, 1, SHARDS, SMALL, false);
    cut_everywhere(line, SHARDS, 2, SMALL, false);
}

/* The first step by itself: it is said, and all shards are as they were. */
static void announce(struct line *line, uint64_t epoch, int from, int to) {
    char said[64];
    (void)snprintf(said, sizeof said, "%llu %d %d 0 0 0 0", (unsigned long long)epoch, from, to);
    (void)COMMAND(line, "HSET", SAID_KEY, "jobs", said);
}

static void a_change_that_was_only_announced_is_made(void **state) {
    struct line *line = *state;
    struct rv_store *store = start(line); /* epoch 2 */
    announce(line, 3, SHARDS, 2);
    CHECK_INT(health_of_shards(line, store, false), REEVE_DOUBTFUL);
    check_usable(line, 2, 2);
    CHECK_INT(stats(line, store).shards, 2);
    rv_store_close(store);
}

static void a_change_that_was_announced_over_jobs_is_called_off(void **state) {
    struct line *line = *state;
    struct rv_store *store = start(line);
    push_many(line, store, JOBS);
    announce(line, 3, SHARDS, 2);
    struct rv_store *next = open_store(line);
    CHECK_INT(push_again(line, next, "job-1"), REEVE_DUPLICATE);
    CHECK_INT(stats(line, next).shards, SHARDS);
    CHECK_INT(stats(line, store).ready, JOBS);
    CHECK_INT(health_of_shards(line, store, false), REEVE_FINE);
    CHECK_INT(work_off(line, store), JOBS);
    rv_store_close(next);
    rv_store_close(store);
}

static void the_doctor_brings_a_change_to_its_end(void **state) {
    struct line *line = *state;
    rv_store_close(start(line));
    line->proxy = proxy_open(line->server->port);
    cut_everywhere(line, 2, SHARDS, LARGE, true);
}

/* One shard as it was before the pause: as if that had not come so far. */
static void a_pause_in_part_is_found_and_made_whole(void **state) {
    struct line *line = *state;
    struct rv_store *store = start(line);
    push_many(line, store, JOBS);
    (void)COMMAND(line, "COPY", "rv:{test/jobs#1}:meta", "rv:{test/jobs#1}:before");
    CHECK_OK(rv_store_pause(store, "jobs", true, &line->err));
    CHECK_INT(health_of_shards(line, store, false), REEVE_FINE);
    (void)COMMAND(line, "RENAME", "rv:{test/jobs#1}:before", "rv:{test/jobs#1}:meta");
    CHECK_INT(health_of_shards(line, store, false), REEVE_BAD);
    CHECK_INT(health_of_shards(line, store, true), REEVE_REPAIRED);
    CHECK_INT(health_of_shards(line, store, false), REEVE_FINE);
    for (int i = 0; i < 2 * SHARDS; i++) {
        struct claim claim = claim_up_to(line, store, 0, 0, 1);
        CHECK_INT(claim.got.count, 0);
        rv_exchanged_release(&claim.got);
    }
    CHECK_OK(rv_store_pause(store, "jobs", false, &line->err));
    CHECK_INT(health_of_shards(line, store, false), REEVE_FINE);
    CHECK_INT(work_off(line, store), JOBS);
    rv_store_close(store);
}

/* The shards know it as well. */
static void a_space_that_has_lost_the_number_finds_it(void **state) {
    struct line *line = *state;
    struct rv_store *store = start(line);
    push_many(line, store, JOBS);
    (void)COMMAND(line, "DEL", SAID_KEY);
    CHECK_INT(health_of_shards(line, store, false), REEVE_DOUBTFUL);
    CHECK_INT(health_of_shards(line, store, true), REEVE_REPAIRED);
    struct rv_store *next = open_store(line);
    CHECK_INT(stats(line, next).shards, SHARDS);
    CHECK_INT(work_off(line, next), JOBS);
    rv_store_close(next);
    rv_store_close(store);
}

const struct CMUnitTest shard_tests[] = {
    cmocka_unit_test(ids_that_lie_together_do),
    REDIS_TEST(each_id_has_one_shard),
    REDIS_TEST(every_operation_finds_its_job),
    REDIS_TEST(every_claim_is_found_again),
    REDIS_TEST(a_listing_ends_behind_the_last_shard),
    REDIS_TEST(a_cursor_of_a_shard_that_is_gone_is_at_the_end),
    REDIS_TEST(a_pause_holds_in_every_shard),
    REDIS_TEST(no_shard_starves),
    REDIS_TEST(shards_in_which_nothing_happens_cost_little),
    REDIS_TEST(a_repeat_meets_its_claim),
    REDIS_TEST(a_late_request_is_refused_by_all_shards),
    REDIS_TEST(a_handle_of_the_old_number_learns_the_new_one),
    REDIS_TEST(a_queue_with_jobs_keeps_its_number),
    REDIS_TEST(a_change_that_is_cut_off_is_brought_to_its_end),
    REDIS_TEST(a_change_that_was_only_announced_is_made),
    REDIS_TEST(a_change_that_was_announced_over_jobs_is_called_off),
    REDIS_TEST(the_doctor_brings_a_change_to_its_end),
    REDIS_TEST(a_pause_in_part_is_found_and_made_whole),
    REDIS_TEST(a_space_that_has_lost_the_number_finds_it),
};
const size_t shard_test_count = sizeof shard_tests / sizeof *shard_tests;
