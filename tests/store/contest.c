/* Many at once on one name: one has it, and all get it in their turn (A08 A27 T14a). */
#include <pthread.h>
#include <stdio.h>

#include "base/random.h"
#include "store/topics.h"

enum { CONTENDERS = 50, ROUNDS = 20 };

struct contender {
    pthread_t thread;
    struct rv_store *store;
    pthread_barrier_t *start;
    uint64_t tokens[ROUNDS];
    int rc;
};

static void *contend(void *arg) {
    struct contender *c = arg;
    struct rv_error err;
    for (int i = 0; i < ROUNDS; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "n%d", i);
        struct rv_grant_ask wish = {.kind = RV_GRANT_LEADER,
                                    .name = name,
                                    .holder = rv_random_nonzero(&rv_random_system),
                                    .lease_ms = LEASE_MS,
                                    .by = "contender"};
        struct rv_grant_answer answer = {0};
        (void)pthread_barrier_wait(c->start);
        if (!c->rc) c->rc = rv_store_grant_take(c->store, &wish, CALL_MS, &answer, &err);
        c->tokens[i] = answer.token;
    }
    return NULL;
}

/* The token under which a stranger has the name. */
static uint64_t take(struct fixture *f, const char *name) {
    struct rv_grant_ask wish = {.kind = RV_GRANT_LEADER,
                                .name = name,
                                .holder = rv_random_nonzero(&rv_random_system),
                                .lease_ms = LEASE_MS,
                                .by = "before"};
    struct rv_grant_answer answer;
    CHECK_CALL(f, rv_store_grant_take(handle(f), &wish, CALL_MS, &answer, &f->err));
    CHECK(answer.token);
    return answer.token;
}

static void of_many_on_one_lapsed_lease_one_wins(struct fixture *f) { /* A08 A27 T14a */
    struct contender contenders[CONTENDERS];
    pthread_barrier_t start;
    uint64_t before[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "n%d", i);
        before[i] = take(f, name);
    }
    move_clock(f, LEASE_MS + 1);
    CHECK_INT(pthread_barrier_init(&start, NULL, CONTENDERS), 0);
    for (int i = 0; i < CONTENDERS; i++) {
        contenders[i] = (struct contender){.store = i % 2 ? f->second : f->first, .start = &start};
        CHECK_INT(pthread_create(&contenders[i].thread, NULL, contend, &contenders[i]), 0);
    }
    for (int i = 0; i < CONTENDERS; i++)
        (void)pthread_join(contenders[i].thread, NULL);
    (void)pthread_barrier_destroy(&start);
    for (int i = 0; i < ROUNDS; i++) {
        int winners = 0;
        for (int j = 0; j < CONTENDERS; j++) {
            CHECK_OK(contenders[j].rc);
            if (!contenders[j].tokens[i]) continue;
            winners++;
            CHECK(contenders[j].tokens[i] > before[i]);
        }
        CHECK_INT(winners, 1);
    }
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
