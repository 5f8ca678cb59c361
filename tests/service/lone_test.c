/* One who waits alone for the end of a job that he pushed: what he makes of what is told in his
 * box. */
#include <stdlib.h>
#include <string.h>

#include "core/nonce.h"
#include "harness/check.h"
#include "service/lone.h"
#include "store/ops.h"

enum { ADDRESS = 7, SHORT_MS = 20, LONG_MS = 60000 };

/* A store that has one box, and tells there what the test says, one after the other. */
struct teller {
    struct rv_store base;
    struct rv_store_ops ops;
    struct rv_box box;
    struct {
        uint32_t number;
        const char *id; /* of the record; NULL: without */
    } ends[4];
    size_t told, count;
    int error; /* of each call once all is told */
    int takes, attends;
    bool taken, deaf;
};

static struct teller *teller_of(struct rv_store *s) {
    return (struct teller *)(void *)s; /* base is its head */
}

static int take(struct rv_store *s, int64_t timeout_ms, struct rv_box **out, struct rv_error *err) {
    struct teller *t = teller_of(s);
    CHECK_BETWEEN(timeout_ms, 0, 1000); /* of the LONG_MS that there are */
    t->takes++;
    if (t->error) return rv_fail(err, t->error, "as planned");
    t->taken = true;
    *out = &t->box;
    return 0;
}

static void give(struct rv_store *s, struct rv_box *box, bool deaf) {
    CHECK(box == &teller_of(s)->box);
    teller_of(s)->taken = false;
    teller_of(s)->deaf = deaf;
}

static int attend(struct rv_store *s, struct rv_box *box, int64_t timeout_ms, struct rv_list *told,
                  struct rv_error *err) {
    struct teller *t = teller_of(s);
    (void)timeout_ms;
    CHECK(box == &t->box);
    t->attends++;
    if (t->told == t->count) return t->error ? rv_fail(err, t->error, "as planned") : 0;
    struct rv_told *end = calloc(1, sizeof *end);
    CHECK(end);
    end->number = t->ends[t->told].number;
    if (t->ends[t->told].id) {
        end->job = calloc(1, sizeof *end->job);
        CHECK(end->job);
        end->job->id = t->ends[t->told].id;
    }
    t->told++;
    rv_list_add_tail(told, &end->link);
    return 0;
}

struct lonely {
    struct teller teller;
    struct rv_awaits awaits;
    struct rv_lone lone;
};

static int set_up(void **state) {
    struct lonely *l = calloc(1, sizeof *l);
    CHECK(l);
    l->teller.ops = (struct rv_store_ops){.box_take = take, .box_give = give, .box_attend = attend};
    l->teller.base.ops = &l->teller.ops;
    l->teller.box.address = ADDRESS;
    CHECK_OK(rv_awaits_init(&l->awaits));
    *state = l;
    return 0;
}

static int tear_down(void **state) {
    struct lonely *l = *state;
    CHECK(!l->teller.taken);
    rv_awaits_release(&l->awaits);
    free(l);
    return 0;
}

static void begin(struct lonely *l) {
    CHECK(rv_lone_begin(&l->lone, &l->awaits, &l->teller.base, LONG_MS));
    CHECK(rv_lone_nonce(&l->lone) == rv_nonce_awaited(ADDRESS, l->lone.number));
}

static void will_tell(struct lonely *l, uint32_t number, const char *id) {
    l->teller.ends[l->teller.count].number = number;
    l->teller.ends[l->teller.count++].id = id;
}

static void who_comes_first_is_alone(void **state) {
    struct lonely *l = *state;
    CHECK(rv_awaits_come(&l->awaits));
    CHECK(!rv_awaits_come(&l->awaits));
    rv_awaits_leave(&l->awaits); /* the first */
    CHECK(!rv_awaits_come(&l->awaits));
    rv_awaits_leave(&l->awaits);
    rv_awaits_leave(&l->awaits);
    CHECK(rv_awaits_come(&l->awaits));
}

static void what_others_are_told_is_passed_over(void **state) {
    struct lonely *l = *state;
    begin(l);
    will_tell(l, l->lone.number + 1, "another");
    will_tell(l, l->lone.number - 1, NULL);
    will_tell(l, l->lone.number, "mine");
    struct reeve_job *job = rv_lone_hear(&l->lone, LONG_MS);
    CHECK(job);
    CHECK_STR(job->id, "mine");
    free(job);
    rv_lone_end(&l->lone, true);
    CHECK(!l->teller.deaf);
}

/* He looks for it, and has been told: the box is as good as ever. */
static void an_end_may_come_without_its_record(void **state) {
    struct lonely *l = *state;
    begin(l);
    will_tell(l, l->lone.number, NULL);
    CHECK(!rv_lone_hear(&l->lone, LONG_MS));
    CHECK_INT(l->teller.attends, 1);
    rv_lone_end(&l->lone, true);
    CHECK(!l->teller.deaf);
}

static void where_nothing_is_told_it_is_time_for_a_look(void **state) {
    struct lonely *l = *state;
    begin(l);
    CHECK(!rv_lone_hear(&l->lone, LONG_MS));
    CHECK_INT(l->teller.attends, 1);
    rv_lone_end(&l->lone, false); /* it has not ended */
    CHECK(!l->teller.deaf);
    begin(l);
    CHECK(!rv_lone_hear(&l->lone, LONG_MS));
    rv_lone_end(&l->lone, true); /* it had, and that was not told */
    CHECK(l->teller.deaf);
}

static void where_nothing_can_be_heard_he_sleeps(void **state) {
    struct lonely *l = *state;
    int64_t begun_ms = rv_clock_boot_ms(&rv_clock_real);
    begin(l);
    l->teller.error = REEVE_EUNREACHABLE;
    CHECK(!rv_lone_hear(&l->lone, SHORT_MS));
    CHECK(rv_clock_boot_ms(&rv_clock_real) - begun_ms >= SHORT_MS);
    CHECK_INT(l->teller.attends, 1);
    rv_lone_end(&l->lone, false);
}

static void a_box_that_cannot_be_had_is_not_tried_for_again_at_once(void **state) {
    struct lonely *l = *state;
    l->teller.error = REEVE_EUNREACHABLE;
    CHECK(!rv_lone_begin(&l->lone, &l->awaits, &l->teller.base, LONG_MS));
    l->teller.error = 0;
    CHECK(!rv_lone_begin(&l->lone, &l->awaits, &l->teller.base, LONG_MS));
    CHECK_INT(l->teller.takes, 1);
    atomic_store(&l->awaits.no_box_ms, rv_clock_boot_ms(&rv_clock_real)); /* later */
    begin(l);
    rv_lone_end(&l->lone, false);
}

static void a_store_may_have_none(void **state) {
    struct lonely *l = *state;
    l->teller.ops.box_take = NULL;
    CHECK(!rv_lone_begin(&l->lone, &l->awaits, &l->teller.base, LONG_MS));
}

#define LONE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        LONE_TEST(who_comes_first_is_alone),
        LONE_TEST(what_others_are_told_is_passed_over),
        LONE_TEST(an_end_may_come_without_its_record),
        LONE_TEST(where_nothing_is_told_it_is_time_for_a_look),
        LONE_TEST(where_nothing_can_be_heard_he_sleeps),
        LONE_TEST(a_box_that_cannot_be_had_is_not_tried_for_again_at_once),
        LONE_TEST(a_store_may_have_none),
    };
    return cmocka_run_group_tests_name("lone", tests, NULL, NULL);
}
