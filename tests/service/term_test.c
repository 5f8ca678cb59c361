/* Terms as others see them: those who watch, and the store. What a leader itself sees of them is
 * leader_test.c. */
#include <stdlib.h>
#include <string.h>

#include "service/scene.h"
#include "service/tenure.h"
#include "store/ops.h"

enum { RETRY_MS = 20 };

static bool has_term(void *arg) {
    return reeve_leader_term(arg) != 0;
}

static reeve_leader *lead(struct scene *s) {
    struct reeve_leader_options options = {.size = sizeof options, .retry_ms = RETRY_MS};
    reeve_leader *leader;
    CHECK_OK(reeve_leader_open(&leader, s->r, "n", &options));
    CHECK(eventually(has_term, leader, SOON_MS));
    return leader;
}

/* ---- the store ---- */
static void a_store_that_leases_no_names_says_so(void **state) { /* A19 */
    struct scene *s = *state;
    struct rv_store *store = s->r->service.store;
    const struct rv_store_ops *ops = store->ops;
    struct rv_store_ops without = *ops;
    reeve_leader *leader;
    without.caps &= ~(unsigned)RV_CAP_GRANTS;
    store->ops = &without;
    CHECK_FAILS(reeve_leader_open(&leader, s->r, "n", NULL), REEVE_ENOTSUP);
    CHECK_FAILS(reeve_leader_check(s->r, "n", 1), REEVE_ENOTSUP);
    CHECK(!leader);
    store->ops = ops;
}

static struct rv_grant_row row_of(struct scene *s) {
    struct rv_grants_query query = {.kind = RV_GRANT_LEADER, .name = "n", .limit = 1};
    struct rv_grants grants;
    struct rv_error err;
    CHECK_OK(rv_store_grants(s->r->service.store, &query, &grants, &err));
    CHECK_INT(grants.count, 1);
    struct rv_grant_row row = grants.rows[0];
    free(grants.rows);
    return row;
}

struct next_term {
    reeve_leader *leader;
    uint64_t after;
};

static bool has_begun(void *arg) {
    const struct next_term *next = arg;
    return reeve_leader_term(next->leader) > next->after;
}

static void each_term_has_a_holder_of_its_own(void **state) { /* A11 T07 J5 L20 */
    struct scene *s = *state;
    reeve_leader *leader = lead(s);
    struct rv_grant_row first = row_of(s);
    struct next_term next = {leader, first.token};
    CHECK_OK(reeve_leader_resign(leader));
    CHECK(eventually(has_begun, &next, SOON_MS));
    CHECK(row_of(s).holder != first.holder);
    reeve_leader_close(leader);
}

/* ---- the local deadline ---- */
static void a_renewal_counts_from_when_it_was_sent(void **state) { /* T01 T03 */
    enum { LEASE = 10000, SENT = 1000, ANSWERED = 5000 };
    struct rv_tenures *book = calloc(1, sizeof *book);
    struct rv_tenure tenure = {.name = "n", .lease_ms = LEASE, .renew_ms = LEASE / 3};
    (void)state;
    CHECK(book);
    rv_tenures_init(book, NULL);
    rv_tenure_begin(&tenure, 0);
    CHECK_INT(atomic_load(&tenure.lapses_ms), LEASE);
    book->of[0] = &tenure;
    rv_tenures_apply(book, 1, true, SENT, ANSWERED);
    CHECK_INT(atomic_load(&tenure.lapses_ms), SENT + LEASE);
    CHECK(atomic_load(&tenure.ends_ms) < SENT + LEASE);
    free(book);
}

/* ---- those who watch ---- */
struct heard {
    atomic_int gained, lost, strange;
    _Atomic uint64_t term; /* that was lost */
    atomic_int why;
};

static void hear(void *arg, const struct reeve_event *event) {
    struct heard *heard = arg;
    if (!event->leader || strcmp(event->leader, "n") != 0 || event->queue[0] || event->id[0]) {
        atomic_fetch_add(&heard->strange, 1);
    } else if (event->type == REEVE_LEADER_GAINED) {
        atomic_fetch_add(&heard->gained, 1);
    } else if (event->type == REEVE_LEADER_LOST) {
        atomic_store(&heard->term, event->token);
        atomic_store(&heard->why, (int)event->why);
        atomic_fetch_add(&heard->lost, 1);
    }
}

static bool has_heard_of_both(void *arg) {
    const struct heard *heard = arg;
    return atomic_load(&heard->gained) && atomic_load(&heard->lost);
}

static void those_who_watch_hear_of_both_ends(void **state) { /* P13 */
    struct scene *s = *state;
    struct heard heard = {0};
    reeve_watch *watch;
    CHECK_OK(reeve_watch_open(&watch, s->r, NULL, hear, &heard));
    reeve_leader *leader = lead(s);
    uint64_t term = reeve_leader_term(leader);
    reeve_leader_close(leader);
    CHECK(eventually(has_heard_of_both, &heard, SOON_MS));
    CHECK(atomic_load(&heard.term) == term);
    CHECK_INT(atomic_load(&heard.why), REEVE_LOST_CLOSED);
    CHECK_INT(atomic_load(&heard.strange), 0);
    reeve_watch_close(watch);
}

static void what_could_not_be_told_is_told_later(void **state) {
    struct scene *s = *state;
    struct heard heard = {0};
    reeve_watch *watch;
    CHECK_OK(reeve_watch_open(&watch, s->r, NULL, hear, &heard));
    reeve_leader *leader = lead(s);
    await_calls(s, RV_OP_ANNOUNCE, 1); /* it was told that it is gained */
    fault(s, RV_FAULT_REFUSE, RV_OP_ANNOUNCE, 1);
    CHECK_OK(reeve_leader_resign(leader));
    CHECK(eventually(has_heard_of_both, &heard, SOON_MS)); /* when it asks anew */
    CHECK_INT(atomic_load(&heard.why), REEVE_LOST_RESIGNED);
    reeve_leader_close(leader);
    reeve_watch_close(watch);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        SCENE_TEST(a_store_that_leases_no_names_says_so),
        SCENE_TEST(each_term_has_a_holder_of_its_own),
        SCENE_TEST(a_renewal_counts_from_when_it_was_sent),
        SCENE_TEST(those_who_watch_hear_of_both_ends),
        SCENE_TEST(what_could_not_be_told_is_told_later),
    };
    return SCENE_MAIN(argc, argv, tests);
}
