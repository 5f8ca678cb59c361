/* Queues with weights are served in proportion, as far as they have work. */
#include <stdio.h>
#include <string.h>

#include "service/scene.h"

enum { ORDER_MAX = 1024 };

/* From which queue each job came, in the order in which they ran. */
struct order {
    char first_letters[ORDER_MAX];
    atomic_int count;
};

static enum reeve_verdict note_queue(void *arg, reeve_task *task) {
    struct order *order = arg;
    order->first_letters[atomic_fetch_add(&order->count, 1)] = reeve_task_job(task)->queue[0];
    return REEVE_SUCCEED;
}

static const char *const two[] = {"heavy", "light", NULL};

static struct reeve_worker_options weighted(struct scene *s, const int *weights) {
    struct reeve_worker_options options = options_of(s);
    options.queues = two;
    options.weights = weights;
    options.until_empty = true;
    return options;
}

static void push_to(struct scene *s, const char *queue, int count) {
    for (int i = 0; i < count; i++)
        push_with(s, (struct reeve_push){.queue = queue});
}

/* Runs all there is, and returns how many of the first `of` came from "light". */
static int run_all(struct scene *s, struct reeve_worker_options options, int all, int of) {
    struct order order = {.count = 0};
    int light = 0;
    start(s, options, note_queue, &order);
    CHECK_OK(reeve_worker_wait(s->worker, SOON_MS));
    CHECK_INT(atomic_load(&order.count), all);
    for (int i = 0; i < of; i++)
        light += order.first_letters[i] == 'l';
    return light;
}

static void one_thread_serves_in_proportion(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = weighted(s, (const int[]){3, 1});
    options.threads = 1;
    push_to(s, "heavy", 60);
    push_to(s, "light", 60);
    CHECK_BETWEEN(run_all(s, options, 120, 80), 19, 21);
}

static void many_threads_serve_in_proportion(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = weighted(s, (const int[]){3, 1});
    options.threads = 8;
    push_to(s, "heavy", 150);
    push_to(s, "light", 150);
    CHECK_BETWEEN(run_all(s, options, 300, 200), 42, 58); /* threads may pass one another */
}

static void the_order_of_queues_does_not_matter(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = weighted(s, (const int[]){1, 3});
    options.threads = 1;
    push_to(s, "heavy", 60);
    push_to(s, "light", 60);
    CHECK_BETWEEN(run_all(s, options, 120, 80), 59, 61);
}

static void without_weights_the_first_queue_comes_first(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = weighted(s, NULL);
    options.threads = 1;
    push_to(s, "heavy", 60);
    push_to(s, "light", 60);
    CHECK_INT(run_all(s, options, 120, 60), 0);
}

static void a_light_queue_does_not_starve(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = weighted(s, (const int[]){100, 1});
    options.threads = 1;
    push_to(s, "heavy", 250);
    push_to(s, "light", 3);
    CHECK_BETWEEN(run_all(s, options, 253, 204), 2, 3);
}

static void who_has_work_gets_every_place(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = weighted(s, (const int[]){100, 1});
    options.until_empty = false;
    options.threads = 8;
    push_to(s, "light", 8);
    start_gate(s, options, ignore);
    await_entered(s, 8); /* at once, though they weigh little: nobody else has work */
    CHECK_INT(atomic_load(&s->gate.most), 8);
}

static void it_still_ends_after_so_many_jobs(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = weighted(s, (const int[]){2, 1});
    options.until_empty = false;
    options.jobs_max = 7;
    push_to(s, "heavy", 20);
    push_to(s, "light", 20);
    (void)run_all(s, options, 7, 7);
}

static void weights_are_checked(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = weighted(s, (const int[]){1, 0});
    CHECK_FAILS(reeve_worker_open(&s->worker, s->r, &options), REEVE_EINVAL);
    CHECK(strstr(reeve_errmsg(), "weight is 0: expected 1 to 100"));
    options.weights = (const int[]){101, 1};
    CHECK_FAILS(reeve_worker_open(&s->worker, s->r, &options), REEVE_EINVAL);
    options.weights = (const int[]){100, 1};
    CHECK_OK(reeve_worker_open(&s->worker, s->r, &options));
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        SCENE_TEST(one_thread_serves_in_proportion),
        SCENE_TEST(many_threads_serve_in_proportion),
        SCENE_TEST(the_order_of_queues_does_not_matter),
        SCENE_TEST(without_weights_the_first_queue_comes_first),
        SCENE_TEST(a_light_queue_does_not_starve),
        SCENE_TEST(who_has_work_gets_every_place),
        SCENE_TEST(it_still_ends_after_so_many_jobs),
        SCENE_TEST(weights_are_checked),
    };
    return SCENE_MAIN(argc, argv, tests);
}
