/* The doctor on a store that was used as it should: nothing is wrong, and nothing is mended. */
#include "harness/sound.h"
#include "store/topics.h"

/* A bit of everything. */
static void live(struct fixture *f) {
    static char large[50000];
    push_many(f, LINE, 8, NULL);
    struct claimed claimed = claim_up_to(f, "w", 6);
    struct rv_new_job job = new_job(f, "large");
    job.body = (struct rv_bytes){large, sizeof large};
    (void)push_job(f, &job);
    (void)push_delayed(f, "delayed", 60000);
    CHECK_OK(finish(f, held_of(&claimed, 0), RV_SUCCEEDED));
    CHECK_OK(finish(f, held_of(&claimed, 1), RV_GIVEN_UP));
    CHECK_OK(finish(f, held_of(&claimed, 2), RV_FAILED_ATTEMPT));
    CHECK_OK(finish(f, held_of(&claimed, 3), RV_HANDED_BACK));
    struct held held = held_of(&claimed, 4);
    struct rv_note note = {
        .id = held.job->id, .token = held.token, .holder = held.holder, .progress = 1, .line = "x"};
    CHECK_CALL(f, rv_store_note(handle(f), f->queue, &note, &f->err));
    CHECK_OK(cancel(f, LINE "7", NULL));
    CHECK_OK(cancel(f, LINE "5", NULL)); /* a mark: it runs */
}

static void a_store_in_use_is_sound(struct fixture *f) {
    check_sound(f, false);
    live(f);
    f->queue = "others";
    live(f);
    check_sound(f, false);
    check_sound(f, true);
    CHECK_STATE(f, LINE "4", REEVE_RUNNING);
    CHECK_INT(recover(f), 2);
    check_sound(f, false);
}

static const struct store_test tests[] = {
    TEST(a_store_in_use_is_sound),
    {0},
};

const struct topic topic_doctor = {"doctor", tests};
