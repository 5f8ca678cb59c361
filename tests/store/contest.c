/* Many at once on one name: one has it, and all get it in their turn (A08 A27 T14a).
 * CONTEST_ROUNDS=N does more rounds. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "store/topics.h"

enum { CONTENDERS = 50, ROUNDS = 20, ROUNDS_MAX = 100000, ROUND_NAME_SIZE = 16 };

struct contender {
    pthread_t thread;
    struct rv_store *store;
    pthread_barrier_t *start;
    int rounds;
    uint64_t *tokens; /* of each round; 0: another has it */
    int rc;
};

static int count_rounds(void) {
    const char *text = getenv("CONTEST_ROUNDS");
    long rounds = text ? strtol(text, NULL, 10) : ROUNDS;
    CHECK_BETWEEN(rounds, 1, ROUNDS_MAX);
    return (int)rounds;
}

/* Each round has a name of its own. The token of a stranger who gets it; 0: another has it. */
static int take(struct rv_store *store, int round, uint64_t *token) {
    char name[ROUND_NAME_SIZE];
    struct rv_error err;
    struct rv_grant_answer answer = {0};
    (void)snprintf(name, sizeof name, "n%d", round);
    struct rv_grant_ask wish = {.kind = RV_GRANT_LEADER,
                                .name = name,
                                .holder = rv_random_nonzero(&rv_random_system),
                                .lease_ms = LEASE_MS,
                                .by = "contender"};
    int rc = rv_store_grant_take(store, &wish, CALL_MS, &answer, &err);
    *token = answer.token;
    return rc;
}

static void *contend(void *arg) {
    struct contender *c = arg;
    for (int i = 0; i < c->rounds; i++) {
        (void)pthread_barrier_wait(c->start);
        if (!c->rc) c->rc = take(c->store, i, &c->tokens[i]);
    }
    return NULL;
}

static void let_contend(struct fixture *f, struct contender *contenders, int rounds) {
    pthread_barrier_t start;
    CHECK_INT(pthread_barrier_init(&start, NULL, CONTENDERS), 0);
    for (int i = 0; i < CONTENDERS; i++) {
        contenders[i] = (struct contender){.store = i % 2 ? f->second : f->first,
                                           .start = &start,
                                           .rounds = rounds,
                                           .tokens = calloc((size_t)rounds, sizeof(uint64_t))};
        CHECK(contenders[i].tokens);
        CHECK_INT(pthread_create(&contenders[i].thread, NULL, contend, &contenders[i]), 0);
    }
    for (int i = 0; i < CONTENDERS; i++)
        (void)pthread_join(contenders[i].thread, NULL);
    (void)pthread_barrier_destroy(&start);
}

static void check_round(const struct contender *contenders, int round, uint64_t before) {
    int winners = 0;
    for (int i = 0; i < CONTENDERS; i++) {
        uint64_t token = contenders[i].tokens[round];
        CHECK_OK(contenders[i].rc);
        if (!token) continue;
        winners++;
        CHECK(token > before);
    }
    CHECK_INT(winners, 1);
}

static void of_many_on_one_lapsed_lease_one_wins(struct fixture *f) { /* A08 A27 T14a */
    struct contender contenders[CONTENDERS];
    int rounds = count_rounds();
    uint64_t *before = adopt(f, calloc((size_t)rounds, sizeof *before));
    for (int i = 0; i < rounds; i++) {
        CHECK_OK(take(handle(f), i, &before[i]));
        CHECK(before[i]);
    }
    move_clock(f, LEASE_MS + 1);
    let_contend(f, contenders, rounds);
    for (int i = 0; i < rounds; i++)
        check_round(contenders, i, before[i]);
    for (int i = 0; i < CONTENDERS; i++)
        free(contenders[i].tokens);
}

/* ---- in line ---- */
enum { WAITERS = 12 };

struct waiter {
    pthread_t thread;
    struct rv_store *store;
    _Atomic int *inside, *most, *served;
    int rc;
};

/* Asks until it has the name, then lets go: a lock as simple as can be. */
static void *wait_and_go(void *arg) {
    struct waiter *w = arg;
    struct rv_error err;
    struct rv_grant_ask wish = {.kind = RV_GRANT_LOCK,
                                .name = "n",
                                .holder = rv_random_nonzero(&rv_random_system),
                                .lease_ms = LEASE_MS,
                                .ticket_ms = LEASE_MS,
                                .by = "waiter"};
    struct rv_grant_answer answer = {0};
    while (!w->rc && !answer.token)
        w->rc = rv_store_grant_take(w->store, &wish, CALL_MS, &answer, &err);
    if (w->rc) return NULL;
    int inside = ++*w->inside;
    if (inside > *w->most) *w->most = inside;
    ++*w->served;
    --*w->inside;
    w->rc = rv_store_grant_release(w->store, RV_GRANT_LOCK, "n", wish.holder, CALL_MS, &err);
    return NULL;
}

static void all_in_line_are_served_one_at_a_time(struct fixture *f) { /* L1 L5 */
    struct waiter waiters[WAITERS];
    _Atomic int inside = 0, most = 0, served = 0;
    for (int i = 0; i < WAITERS; i++) {
        waiters[i] = (struct waiter){.store = i % 2 ? f->second : f->first,
                                     .inside = &inside,
                                     .most = &most,
                                     .served = &served};
        CHECK_INT(pthread_create(&waiters[i].thread, NULL, wait_and_go, &waiters[i]), 0);
    }
    for (int i = 0; i < WAITERS; i++)
        (void)pthread_join(waiters[i].thread, NULL);
    for (int i = 0; i < WAITERS; i++)
        CHECK_OK(waiters[i].rc);
    CHECK_INT(served, WAITERS);
    CHECK_INT(most, 1);
}

static const struct store_test tests[] = {
    TEST_NEEDING(RV_CAP_GRANTS, of_many_on_one_lapsed_lease_one_wins),
    TEST_NEEDING(RV_CAP_GRANTS, all_in_line_are_served_one_at_a_time),
    {0},
};

const struct topic topic_contest = {"contest", tests};
