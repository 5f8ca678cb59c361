/* Locks: one at a time, in turn, all names or none, told when one is lost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/scene.h"

enum { LEASE_MS = 30000, SHORT_MS = 4000, PROMPT_MS = 8000 };

static const char *const n[] = {"n", NULL};

static struct reeve_lock_options patient(void) {
    return (struct reeve_lock_options){.size = sizeof(struct reeve_lock_options),
                                       .lease_ms = LEASE_MS};
}

static struct reeve_lock_options hasty(void) {
    struct reeve_lock_options options = patient();
    options.wait_ms = REEVE_NONE;
    return options;
}

static reeve_lock *lock_it(struct scene *s, const char *const *names) {
    struct reeve_lock_options options = hasty();
    reeve_lock *lock;
    CHECK_OK(reeve_lock_open(&lock, s->r, names, &options));
    return lock;
}

static bool is_free(struct scene *s, const char *name) {
    const char *const names[] = {name, NULL};
    struct reeve_lock_options options = hasty();
    reeve_lock *lock;
    int rc = reeve_lock_open(&lock, s->r, names, &options);
    reeve_lock_close(lock);
    if (rc) CHECK_INT(rc, REEVE_ETIMEDOUT);
    return !rc;
}

/* Somebody who waits for n in a thread of his own. */
struct waiter {
    struct scene *s;
    pthread_t thread;
    const char *const *names;
    struct reeve_lock_options options;
    reeve_lock *lock;
    int rc;
    atomic_bool over;
};

static void *wait_for_it(void *arg) {
    struct waiter *w = arg;
    w->rc = reeve_lock_open(&w->lock, w->s->r, w->names, &w->options);
    atomic_store(&w->over, true);
    return NULL;
}

static bool is_over(void *arg) {
    return atomic_load(&((struct waiter *)arg)->over);
}

/* Returns once it stands in line. */
static void start_waiter(struct scene *s, struct waiter *w) {
    uint64_t before = calls(s, RV_OP_GRANT_TAKE);
    *w = (struct waiter){.s = s, .names = n, .options = patient()};
    CHECK_INT(pthread_create(&w->thread, NULL, wait_for_it, w), 0);
    await_calls(s, RV_OP_GRANT_TAKE, before + 2); /* when it asks again, it has a ticket */
}

static void end_waiter(struct waiter *w) {
    CHECK(eventually(is_over, w, SOON_MS));
    (void)pthread_join(w->thread, NULL);
    CHECK_OK(w->rc);
}

static void one_at_a_time(void **state) { /* A190 L30 */
    struct scene *s = *state;
    reeve_lock *lock = lock_it(s, n);
    uint64_t token = reeve_lock_token(lock, 0);
    CHECK(token);
    CHECK(!reeve_lock_token(lock, 1));
    CHECK_BETWEEN(reeve_lock_left_ms(lock), 1, LEASE_MS);
    CHECK(!is_free(s, "n"));
    CHECK(is_free(s, "m"));
    reeve_lock_close(lock);
    lock = lock_it(s, n);
    CHECK(reeve_lock_token(lock, 0) > token);
    reeve_lock_close(lock);
    reeve_lock_close(NULL);
}

static void it_is_waited_for(void **state) { /* A190 */
    struct scene *s = *state;
    struct waiter w;
    reeve_lock *lock = lock_it(s, n);
    start_waiter(s, &w);
    CHECK(!atomic_load(&w.over));
    int64_t begun = elapsed_ms();
    reeve_lock_close(lock);
    end_waiter(&w);
    CHECK(elapsed_ms() - begun < PROMPT_MS);
    reeve_lock_close(w.lock);
    CHECK(is_free(s, "n")); /* no ticket was left */
}

static void who_came_first_goes_first(void **state) { /* L5 */
    struct scene *s = *state;
    struct waiter first, second;
    reeve_lock *lock = lock_it(s, n);
    start_waiter(s, &first);
    start_waiter(s, &second);
    reeve_lock_close(lock);
    end_waiter(&first);
    CHECK(!atomic_load(&second.over));
    reeve_lock_close(first.lock);
    end_waiter(&second);
    reeve_lock_close(second.lock);
}

static void time_is_up(void **state) { /* A190 L30 */
    struct scene *s = *state;
    reeve_lock *lock = lock_it(s, n), *late;
    struct reeve_lock_options options = patient();
    options.wait_ms = 200;
    int64_t begun = elapsed_ms();
    CHECK_FAILS(reeve_lock_open(&late, s->r, n, &options), REEVE_ETIMEDOUT);
    CHECK(!late);
    CHECK(elapsed_ms() - begun >= 150);
    CHECK(strstr(reeve_errmsg(), "'n'"));
    reeve_lock_close(lock);
    CHECK(is_free(s, "n")); /* he stands in line no more */
}

static void all_or_none(void **state) { /* L31 */
    struct scene *s = *state;
    static const char *const both[] = {"z", "a", NULL};
    static const char *const z[] = {"z", NULL};
    struct reeve_lock_options options = hasty();
    reeve_lock *lock = lock_it(s, z), *late;
    CHECK_FAILS(reeve_lock_open(&late, s->r, both, &options), REEVE_ETIMEDOUT);
    CHECK(is_free(s, "a"));
    reeve_lock_close(lock);
    lock = lock_it(s, both);
    CHECK(reeve_lock_token(lock, 0) && reeve_lock_token(lock, 1));
    CHECK(!is_free(s, "a") && !is_free(s, "z"));
    reeve_lock_close(lock);
    CHECK(is_free(s, "a") && is_free(s, "z"));
}

/* ---- many at once ---- */
struct crowd {
    struct scene *s;
    atomic_int inside, most, entered, failed;
};

struct member {
    struct crowd *crowd;
    pthread_t thread;
    const char *names[3];
};

static void *come_and_go(void *arg) {
    struct member *m = arg;
    for (int i = 0; i < 5; i++) {
        struct reeve_lock_options options = patient();
        reeve_lock *lock;
        if (reeve_lock_open(&lock, m->crowd->s->r, m->names, &options)) {
            atomic_fetch_add(&m->crowd->failed, 1);
            return NULL;
        }
        int inside = atomic_fetch_add(&m->crowd->inside, 1) + 1;
        if (inside > atomic_load(&m->crowd->most)) atomic_store(&m->crowd->most, inside);
        atomic_fetch_add(&m->crowd->entered, 1);
        atomic_fetch_sub(&m->crowd->inside, 1);
        reeve_lock_close(lock);
    }
    return NULL;
}

static void in_whatever_order_they_are_named_nobody_is_stuck(void **state) { /* L31 A190 T76 */
    enum { MEMBERS = 6 };
    struct scene *s = *state;
    struct crowd crowd = {.s = s};
    struct member members[MEMBERS];
    for (int i = 0; i < MEMBERS; i++) {
        members[i] = (struct member){.crowd = &crowd};
        members[i].names[0] = i % 2 ? "a" : "b";
        members[i].names[1] = i % 2 ? "b" : "a";
        CHECK_INT(pthread_create(&members[i].thread, NULL, come_and_go, &members[i]), 0);
    }
    for (int i = 0; i < MEMBERS; i++)
        (void)pthread_join(members[i].thread, NULL);
    CHECK_INT(atomic_load(&crowd.failed), 0);
    CHECK_INT(atomic_load(&crowd.entered), 5 * MEMBERS);
    CHECK_INT(atomic_load(&crowd.most), 1);
}

/* ---- losing it ---- */
struct loss {
    atomic_int told;
    char name[REEVE_NAME_SIZE];
};

static void note_loss(void *arg, const char *name) {
    struct loss *loss = arg;
    (void)snprintf(loss->name, sizeof loss->name, "%s", name);
    atomic_fetch_add(&loss->told, 1);
}

static bool is_told(void *arg) {
    return atomic_load(&((struct loss *)arg)->told) > 0;
}

static void its_loss_is_told(void **state) { /* L30 T02 */
    struct scene *s = *state;
    static const char *const both[] = {"n", "m", NULL};
    struct loss loss = {0};
    struct reeve_lock_options options = hasty();
    reeve_lock *lock;
    options.lease_ms = SHORT_MS;
    options.lost = note_loss;
    options.arg = &loss;
    CHECK_OK(reeve_lock_open(&lock, s->r, both, &options));
    fail_for_ever(s, RV_OP_GRANT_RENEW);
    CHECK(eventually(is_told, &loss, SOON_MS));
    CHECK(!is_free(s, loss.name)); /* told before it can lapse */
    CHECK(!reeve_lock_token(lock, loss.name[0] == 'm' ? 0 : 1));
    await_log(s, "lock.lost");
    heal(s);
    reeve_lock_close(lock);
    CHECK_INT(atomic_load(&loss.told), 1);
    CHECK(is_free(s, "n") && is_free(s, "m"));
}

static void a_store_that_is_away_is_waited_for(void **state) {
    struct scene *s = *state;
    struct reeve_lock_options options = patient();
    reeve_lock *lock;
    fault(s, RV_FAULT_REFUSE, RV_OP_GRANT_TAKE, 1);
    fault(s, RV_FAULT_LOSE, RV_OP_GRANT_TAKE, 2);
    CHECK_OK(reeve_lock_open(&lock, s->r, n, &options));
    reeve_lock_close(lock);
    options.wait_ms = 300;
    fail_for_ever(s, RV_OP_GRANT_TAKE);
    CHECK_FAILS(reeve_lock_open(&lock, s->r, n, &options), REEVE_EUNREACHABLE);
    heal(s);
    CHECK(is_free(s, "n"));
}

static void bad_names_are_refused(void **state) {
    struct scene *s = *state;
    static const char *const none[] = {NULL};
    static const char *const twice[] = {"a", "b", "a", NULL};
    static const char *const spaced[] = {"a b", NULL};
    reeve_lock *lock;
    CHECK_FAILS(reeve_lock_open(&lock, s->r, none, NULL), REEVE_EINVAL);
    CHECK_FAILS(reeve_lock_open(&lock, s->r, twice, NULL), REEVE_EINVAL);
    CHECK(strstr(reeve_errmsg(), "'a' is named twice"));
    CHECK_FAILS(reeve_lock_open(&lock, s->r, spaced, NULL), REEVE_EINVAL);
    CHECK(!lock);
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        SCENE_TEST(one_at_a_time),
        SCENE_TEST(it_is_waited_for),
        SCENE_TEST(who_came_first_goes_first),
        SCENE_TEST(time_is_up),
        SCENE_TEST(all_or_none),
        SCENE_TEST(in_whatever_order_they_are_named_nobody_is_stuck),
        SCENE_TEST(its_loss_is_told),
        SCENE_TEST(a_store_that_is_away_is_waited_for),
        SCENE_TEST(bad_names_are_refused),
    };
    return SCENE_MAIN(argc, argv, tests);
}
