/* Those who push and wait in one, many at once, with a codec, and while the store is away: each is
 * told of what he pushed himself, on every store; and what that costs where ends are told. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/callers.h"
#include "store/codec.h"

enum {
    CALLERS = 64,
    ROUNDS = 6,
    PLAIN = 40, /* calls that are counted */
    AWAY_MS = 300,
};

/* ---- a codec ---- */
static int turn(void *arg, const void *data, size_t size, void **out, size_t *out_size) {
    unsigned char *turned = malloc(size + 1);
    (void)arg;
    if (!turned) return REEVE_ENOMEM;
    for (size_t i = 0; i < size; i++)
        turned[i] = (unsigned char)~((const unsigned char *)data)[i];
    *out = turned;
    *out_size = size;
    return 0;
}

static void a_codec_is_around_what_is_told(void **state) {
    struct scene *s = *state;
    struct reeve_codec codec = {.size = sizeof codec, .encode = turn, .decode = turn};
    struct rv_store *inner = s->r->service.store, *coded;
    CHECK_OK(rv_codec_open(&coded, inner, &codec, NULL));
    s->r->service.store = s->r->gather.store = coded;
    start(s, options_of(s), answer, NULL);
    for (int i = 0; i < 3; i++) {
        struct reeve_job *job = call(s, job_of(NULL, "plain"));
        CHECK(!job->undecodable);
        CHECK_BYTES(job->body, job->body_size, "plain", 5);
        CHECK_BYTES(job->result, job->result_size, "plain", 5);
        struct reeve_job *stored;
        CHECK_OK(rv_store_read(inner, "q", job->id, &stored, NULL));
        CHECK_INT(((const unsigned char *)stored->result)[0], (unsigned char)~'p');
        reeve_free(stored);
        reeve_free(job);
    }
}

/* ---- many at once ---- */
struct crowd_caller {
    struct scene *s;
    pthread_t thread;
    int number;
    bool waits; /* else he pushes only */
    int wrong;  /* of what he was told */
};

static void call_and_compare(struct crowd_caller *c, int round) {
    char body[32];
    struct reeve_job *job = NULL;
    (void)snprintf(body, sizeof body, "%d of %d", round, c->number);
    struct reeve_push push = job_of(NULL, body);
    int rc = c->waits ? reeve_push_wait(c->s->r, &push, SOON_MS, NULL, &job)
                      : reeve_push(c->s->r, &push, NULL);
    c->wrong += rc != 0;
    if (!rc && c->waits)
        c->wrong += job->state != REEVE_DONE || job->result_size != strlen(body) ||
                    memcmp(job->result, body, strlen(body)) != 0;
    reeve_free(job);
}

static void *call_in_crowd(void *arg) {
    struct crowd_caller *c = arg;
    for (int round = 0; round < ROUNDS; round++)
        call_and_compare(c, round);
    return NULL;
}

static void crowd(struct scene *s, bool mixed) {
    static struct crowd_caller callers[CALLERS];
    struct reeve_worker_options options = options_of(s);
    atomic_int runs = 0;
    options.threads = 8;
    start(s, options, answer, &runs);
    for (int i = 0; i < CALLERS; i++) {
        callers[i] = (struct crowd_caller){.s = s, .number = i, .waits = !mixed || i % 3};
        CHECK_INT(pthread_create(&callers[i].thread, NULL, call_in_crowd, &callers[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++)
        CHECK_INT(pthread_join(callers[i].thread, NULL), 0);
    for (int i = 0; i < CALLERS; i++)
        CHECK_INT(callers[i].wrong, 0);
    await_done(s, (uint64_t)CALLERS * ROUNDS);
    CHECK_INT(atomic_load(&runs), CALLERS * ROUNDS);
    end_worker(s, SOON_MS); /* it counts on our stack */
}

static void each_of_many_is_told_of_his_own(void **state) {
    crowd(*state, false);
}

static void who_only_pushes_shares_their_steps(void **state) {
    crowd(*state, true);
}

/* ---- a store that goes away ---- */
static void one_that_cannot_be_pushed_says_so(void **state) {
    struct scene *s = *state;
    struct reeve_push push = job_of("a", "x");
    struct reeve_job *job = NULL;
    fail_for_ever(s, RV_OP_PUSH);
    CHECK_FAILS(reeve_push_wait(s->r, &push, SOON_MS, NULL, &job), REEVE_EUNREACHABLE);
    CHECK(!job);
    heal(s);
    start(s, options_of(s), answer, NULL);
    reeve_free(call(s, push));
}

static void an_answer_that_was_lost_is_asked_for_again(void **state) {
    struct scene *s = *state;
    atomic_int runs = 0;
    start(s, options_of(s), answer, &runs);
    fault(s, RV_FAULT_LOSE, RV_OP_PUSH, 1);
    fault(s, RV_FAULT_LOSE, RV_OP_PUSH, 2);
    struct reeve_job *job = call(s, job_of("a", "once"));
    CHECK_BYTES(job->result, job->result_size, "once", 4);
    reeve_free(job);
    CHECK_INT(atomic_load(&runs), 1);
    CHECK_INT(stats(s).pushed_total, 1);
    end_worker(s, SOON_MS);
}

/* The end is told, if it is, before anybody knows that there is such a job. */
static void one_that_ended_before_it_was_answered_is_told(void **state) {
    struct scene *s = *state;
    start(s, options_of(s), answer, NULL);
    reeve_free(call(s, job_of("first", "x"))); /* it is listened from now on */
    rv_fault_plan_add(
        &s->plan, (struct rv_fault){
                      .kind = RV_FAULT_DELAY, .op = RV_OP_PUSH, .for_ever = true, .delay_ms = 200});
    struct caller callers[3]; /* one sends, the others follow */
    for (int i = 0; i < 3; i++)
        begin_call(&callers[i], s, job_of(NULL, "early"), SOON_MS);
    for (int i = 0; i < 3; i++)
        check_end(&callers[i], REEVE_DONE);
    heal(s);
}

static void a_store_that_is_away_only_makes_it_longer(void **state) {
    struct scene *s = *state;
    struct caller c;
    start_gate(s, options_of(s), ignore);
    begin_call(&c, s, job_of("a", "x"), SOON_MS);
    await_entered(s, 1);
    fail_for_ever(s, 0);
    atomic_store(&s->gate.open, true);
    await_log(s, "store.away");
    await_calls(s, RV_OP_READ, calls(s, RV_OP_READ) + 2);
    heal(s);
    check_end(&c, REEVE_DONE);
    check_attempts(s, "a", 1, 1);
}

static void if_it_is_away_when_time_is_over_that_is_told(void **state) {
    struct scene *s = *state;
    struct reeve_push push = job_of("a", "x");
    struct reeve_pushed out = {.size = sizeof out};
    struct reeve_job *job = NULL;
    int64_t begun_ms = elapsed_ms();
    fail_for_ever(s, RV_OP_READ);
    CHECK_FAILS(reeve_push_wait(s->r, &push, AWAY_MS, &out, &job), REEVE_ETIMEDOUT);
    CHECK(elapsed_ms() - begun_ms >= AWAY_MS);
    CHECK(!job);
    CHECK_INT(out.status, REEVE_QUEUED);
    CHECK(strstr(reeve_errmsg(), "as far as is known: "));
    heal(s);
    check_state(s, "a", REEVE_READY);
}

/* ---- who would be told by himself, and is not ---- */
static void calls_end(struct scene *s) {
    for (int i = 0; i < 3; i++) {
        struct reeve_job *job = call(s, job_of(NULL, "x"));
        CHECK_INT(job->state, REEVE_DONE);
        reeve_free(job);
    }
}

static void without_a_box_one_is_told_all_the_same(void **state) {
    struct scene *s = *state;
    start(s, options_of(s), answer, NULL);
    calls_end(s);
    fault(s, RV_FAULT_LOSE, RV_OP_BOX_TAKE, 1); /* one that was had, and is let go */
    calls_end(s);
    heal(s);
    fail_for_ever(s, RV_OP_BOX_TAKE);
    calls_end(s);
    heal(s);
}

/* It is looked for, and not without a pause. */
static void in_one_that_tells_nothing_it_is_looked_for(void **state) {
    struct scene *s = *state;
    struct caller c;
    start_gate(s, options_of(s), ignore);
    fail_for_ever(s, RV_OP_BOX_ATTEND);
    begin_call(&c, s, job_of("a", "x"), SOON_MS);
    await_entered(s, 1);
    uint64_t before = calls(s, RV_OP_READ);
    int64_t from_ms = elapsed_ms();
    while (elapsed_ms() - from_ms < AWAY_MS)
        (void)sched_yield();
    CHECK_BETWEEN(calls(s, RV_OP_READ) - before, 0, 10);
    atomic_store(&s->gate.open, true);
    check_end(&c, REEVE_DONE);
    heal(s);
}

/* ---- what it costs ---- */
/* Most, for one that takes long is looked at. */
static void where_ends_are_told_nobody_reads(void **state) {
    struct scene *s = *state;
    bool tells = rv_store_caps(s->r->service.store) & RV_CAP_TELLS;
    start(s, options_of(s), answer, NULL);
    reeve_free(call(s, job_of(NULL, "first"))); /* before it was listened, perhaps */
    uint64_t reads = calls(s, RV_OP_READ), pushes = calls(s, RV_OP_PUSH);
    for (int i = 0; i < PLAIN; i++)
        reeve_free(call(s, job_of(NULL, i % 2 ? "plain" : "fail")));
    reads = calls(s, RV_OP_READ) - reads;
    CHECK(tells ? reads <= PLAIN / 4 : reads >= PLAIN);
    CHECK_INT(calls(s, RV_OP_PUSH) - pushes, PLAIN);
}

/* Soon at first, for it may have been done before anybody listened. */
static void who_never_heard_of_an_end_looks_soon(void **state) {
    enum { WAIT_MS = 500 }; /* by then one who listens has looked three times */
    struct scene *s = *state;
    struct reeve_push push = job_of(NULL, "x");
    struct reeve_job *job = NULL;
    if (!(rv_store_caps(s->r->service.store) & RV_CAP_TELLS)) return;
    be_in_company(s);
    CHECK_FAILS(reeve_push_wait(s->r, &push, WAIT_MS, NULL, &job), REEVE_ETIMEDOUT);
    reeve_free(job);
    CHECK(calls(s, RV_OP_READ) >= 5);
    start(s, options_of(s), answer, NULL);
    reeve_free(call(s, job_of(NULL, "x"))); /* perhaps not told yet */
    reeve_free(call(s, job_of(NULL, "x")));
    end_worker(s, SOON_MS);
    uint64_t before = calls(s, RV_OP_READ);
    CHECK_FAILS(reeve_push_wait(s->r, &push, WAIT_MS, NULL, &job), REEVE_ETIMEDOUT);
    reeve_free(job);
    CHECK_BETWEEN(calls(s, RV_OP_READ) - before, 1, 4);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        CALLERS_TEST(a_codec_is_around_what_is_told),
        CALLERS_TEST(each_of_many_is_told_of_his_own),
        CALLERS_TEST(who_only_pushes_shares_their_steps),
        CALLERS_TEST(one_that_cannot_be_pushed_says_so),
        CALLERS_TEST(an_answer_that_was_lost_is_asked_for_again),
        CALLERS_TEST(one_that_ended_before_it_was_answered_is_told),
        CALLERS_TEST(a_store_that_is_away_only_makes_it_longer),
        CALLERS_TEST(if_it_is_away_when_time_is_over_that_is_told),
        CALLERS_TEST(without_a_box_one_is_told_all_the_same),
        CALLERS_TEST(in_one_that_tells_nothing_it_is_looked_for),
        CALLERS_TEST(where_ends_are_told_nobody_reads),
        CALLERS_TEST(who_never_heard_of_an_end_looks_soon),
    };
    return SCENE_MAIN(argc, argv, tests);
}
