/* Which of the tasks that have ended are handed in together. */
#include "work/served.h"

#include "harness/check.h"

enum { TASKS = 6, ALL = 100 };

struct scene {
    struct rv_served served;
    struct rv_claim first, second;
    struct reeve_task tasks[TASKS];
};

static void set_up(struct scene *scene, size_t first_left, size_t second_left) {
    *scene = (struct scene){.first.left = first_left, .second.left = second_left};
    CHECK_OK(rv_served_init(&scene->served, "q"));
}

/* claims: of the tasks that have ended, in their order, 1 or 2. */
static void end_tasks(struct scene *scene, const char *claims) {
    for (size_t i = 0; claims[i]; i++) {
        scene->tasks[i].hold.claim = claims[i] == '1' ? &scene->first : &scene->second;
        rv_served_add(&scene->served, &scene->tasks[i]);
    }
}

static size_t batch_of(size_t first_left, size_t second_left, const char *claims, size_t max) {
    struct scene scene;
    set_up(&scene, first_left, second_left);
    end_tasks(&scene, claims);
    size_t count = rv_served_batch(&scene.served, max);
    rv_served_release(&scene.served);
    return count;
}

static void whole_claims_go_together(void **state) {
    (void)state;
    CHECK_INT(batch_of(2, 2, "1122", ALL), 4);
    CHECK_INT(batch_of(2, 2, "", ALL), 0);
}

static void the_begin_of_a_claim_is_left_behind_a_whole_one(void **state) {
    (void)state;
    CHECK_INT(batch_of(3, 4, "11122", ALL), 3);
    CHECK_INT(batch_of(3, 3, "111222", 5), 3); /* also if it ends where the step is full */
}

static void a_claim_by_itself_is_handed_in_piece_by_piece(void **state) {
    (void)state;
    CHECK_INT(batch_of(5, 0, "11", ALL), 2);
}

static void what_was_left_is_not_left_again(void **state) {
    (void)state;
    struct scene scene;
    set_up(&scene, 2, 4);
    end_tasks(&scene, "1122");
    CHECK_INT(rv_served_batch(&scene.served, ALL), 2);
    for (int i = 0; i < 2; i++)
        CHECK(rv_served_take(&scene.served) == &scene.tasks[i]);
    scene.first.left = 0;
    CHECK_INT(rv_served_batch(&scene.served, ALL), 2); /* two of the four still run */
    rv_served_release(&scene.served);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_claims_go_together),
        cmocka_unit_test(the_begin_of_a_claim_is_left_behind_a_whole_one),
        cmocka_unit_test(a_claim_by_itself_is_handed_in_piece_by_piece),
        cmocka_unit_test(what_was_left_is_not_left_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
