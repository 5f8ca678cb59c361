/* check-nomem [--all] (W18): every public call with its first, second, third ... request for memory
 * refused, until it gets all it asks for; once with only that one refused, once with all after it.
 * Each time: a defined error and a message, or success in spite of it; the store as it was, or as
 * it should be; and the same call works when there is memory again. Without --all only a part of
 * the later requests is tried. Leaks are found by building with ASan. Writes TAP. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/check.h"
#include "harness/scratch.h"
#include "nomem/alloc.h"
#include "nomem/calls.h"
#include "nomem/worker.h"

enum {
    NAME_SIZE = 128,
    POINTS_MAX = 20000,
    POINTS_FULLY = 16,
    STRIDE = 17,
    STRIDE_OF_WORKERS = 53
};

struct trial {
    const struct call *call; /* NULL: a worker's life */
    const char *scheme, *folder;
    bool for_ever, all, programs;
    char name[NAME_SIZE];
};

/* Which request fails next. */
static long next_point(const struct trial *trial, long nth) {
    if (trial->all || nth < POINTS_FULLY) return nth + 1;
    return nth + (trial->call ? STRIDE : STRIDE_OF_WORKERS);
}

static void check_look(struct world *world, const char *expected, long nth, const char *when) {
    char *seen = world_look(world);
    if (strcmp(seen, expected) != 0)
        print_error("request %ld, %s:\n%sinstead of:\n%s", nth, when, seen, expected);
    CHECK(strcmp(seen, expected) == 0);
    free(seen);
}

static void check_error(int rc, long nth) {
    if (rc != REEVE_ENOMEM) print_error("request %ld: %s\n", nth, reeve_errmsg());
    CHECK_INT(rc, REEVE_ENOMEM);
    CHECK(*reeve_errmsg());
}

/* One point of the sweep. False: no request failed, so it was the last. */
static bool try_point(const struct trial *trial, long nth, const char *before, const char *after) {
    const struct call *call = trial->call;
    struct world world;
    world_open(&world, trial->scheme, trial->folder, 0);
    if (call->prepare) call->prepare(&world);
    alloc_fail(nth, trial->for_ever);
    int rc = call->act(&world);
    bool failed = alloc_relent() > 0;
    if (rc) {
        CHECK(failed);
        check_error(rc, nth);
        if (!call->in_steps) check_look(&world, before, nth, "refused");
        CHECK_OK(call->act(&world));
    }
    check_look(&world, after, nth, rc ? "then done" : "done");
    world_close(&world);
    return failed;
}

static void sweep(const struct trial *trial) {
    struct world world;
    world_open(&world, trial->scheme, trial->folder, 0);
    if (trial->call->prepare) trial->call->prepare(&world);
    char *before = world_look(&world);
    CHECK_OK(trial->call->act(&world));
    char *after = world_look(&world);
    world_close(&world);
    long nth = 1;
    while (try_point(trial, nth, before, after)) {
        nth = next_point(trial, nth);
        CHECK(nth < POINTS_MAX);
    }
    print_message("# %s: %ld requests\n", trial->name, nth - 1);
    free(before);
    free(after);
}

static void sweep_worker(const struct trial *trial) {
    long nth = 1;
    while (worker_try(trial->scheme, trial->folder, nth, trial->for_ever, trial->programs)) {
        nth = next_point(trial, nth);
        CHECK(nth < POINTS_MAX);
    }
    print_message("# %s: %ld requests\n", trial->name, nth - 1);
}

static void run(void **state) {
    const struct trial *trial = *state;
    if (trial->call)
        sweep(trial);
    else
        sweep_worker(trial);
}

/* ---- the table ---- */
enum { MODES = 2, SCHEMES = 2, WORKERS = 2 };

static size_t make_trials(struct trial *trials, struct CMUnitTest *units, const char *folder,
                          bool all) {
    static const char *const schemes[SCHEMES] = {"memory", "sqlite"};
    static const char *const workers[WORKERS] = {"a worker", "a worker of programs"};
    size_t count = 0;
    for (size_t i = 0; i < (call_count + WORKERS) * MODES * SCHEMES; i++) {
        size_t which = i / (MODES * SCHEMES);
        bool is_call = which < call_count;
        struct trial *trial = &trials[count];
        *trial = (struct trial){.call = is_call ? &calls[which] : NULL,
                                .scheme = schemes[i / MODES % SCHEMES],
                                .folder = folder,
                                .for_ever = i % MODES,
                                .all = all,
                                .programs = which > call_count};
        (void)snprintf(trial->name, sizeof trial->name, "%s: %s, %s", trial->scheme,
                       is_call ? calls[which].name : workers[which - call_count],
                       trial->for_ever ? "no more memory" : "one request refused");
        units[count++] =
            (struct CMUnitTest){.name = trial->name, .test_func = run, .initial_state = trial};
    }
    return count;
}

int main(int argc, char **argv) {
    bool all = argc == 2 && strcmp(argv[1], "--all") == 0;
    if (argc > 1 && !all) {
        (void)fprintf(stderr, "usage: check-nomem [--all]\n");
        return 2;
    }
    alloc_prepare();
    cmocka_set_message_output(CM_OUTPUT_TAP);
    size_t most = (call_count + WORKERS) * MODES * SCHEMES;
    struct trial *trials = calloc(most, sizeof *trials);
    struct CMUnitTest *units = calloc(most, sizeof *units);
    char *folder = scratch_create();
    if (!trials || !units || !folder) return 1;
    size_t count = make_trials(trials, units, folder, all);
    int failed = _cmocka_run_group_tests("nomem", units, count, NULL, NULL);
    scratch_destroy(folder);
    free(trials);
    free(units);
    return failed ? 1 : 0;
}
