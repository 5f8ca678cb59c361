/* check-store URL [TOPIC...]: holds the store that URL names to the contract of ops.h. Every store
 * runs this very program. Writes TAP. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/child.h"
#include "store/stream_words.h"

static const struct topic *const topics[] = {
    &topic_push,      &topic_order,  &topic_claim,  &topic_finish,  &topic_lease,   &topic_lapse,
    &topic_cancel,    &topic_jobs,   &topic_notes,  &topic_queues,  &topic_bounds,  &topic_purge,
    &topic_workers,   &topic_wait,   &topic_events, &topic_replay,  &topic_limits,  &topic_threads,
    &topic_processes, &topic_doctor, &topic_grants, &topic_contest, &topic_streams, &topic_recover,
};
enum { TOPIC_COUNT = sizeof topics / sizeof *topics, NAME_SIZE = 160 };

struct trial {
    const struct store_test *test;
    const char *url;
    unsigned number;
    char name[NAME_SIZE];
    struct fixture fixture;
};

static int set_up(void **state) {
    struct trial *trial = *state;
    name_streams(trial->number);
    fixture_open(&trial->fixture, trial->url, trial->number);
    return 0;
}

static void run(void **state) {
    struct trial *trial = *state;
    trial->test->run(&trial->fixture);
    check_totals(&trial->fixture);
}

static int tear_down(void **state) {
    struct trial *trial = *state;
    fixture_close(&trial->fixture);
    return 0;
}

static bool chosen(const struct topic *topic, char **names) {
    if (!*names) return true;
    for (; *names; names++)
        if (strcmp(*names, topic->name) == 0) return true;
    return false;
}

static bool known(const char *name) {
    for (size_t i = 0; i < TOPIC_COUNT; i++)
        if (strcmp(topics[i]->name, name) == 0) return true;
    return false;
}

static size_t count_tests(const struct topic *topic) {
    size_t count = 0;
    while (topic->tests[count].name)
        count++;
    return count;
}

/* What the store can do, found by opening it once. */
static int read_caps(const char *url, unsigned *caps) {
    struct rv_log log = {.level = REEVE_LOG_ERROR};
    struct rv_store_config config = {
        .space = "caps", .timeout_ms = CALL_MS, .log = &log, .clock = &rv_clock_real};
    struct rv_error err;
    struct rv_store *store;
    int rc = rv_store_open(&store, url, &config, &err);
    if (rc) {
        (void)fprintf(stderr, "check-store: %s\n", err.text);
        return rc;
    }
    *caps = rv_store_caps(store) | (shards_by(url) == 1 ? ONE_SHARD : 0U);
    rv_store_close(store);
    return 0;
}

struct suite {
    const char *url;
    unsigned caps;
    struct trial *trials;
    struct CMUnitTest *units;
    size_t count;
};

static void add_trial(struct suite *suite, const struct topic *topic,
                      const struct store_test *test) {
    if ((suite->caps & test->needs) != test->needs) {
        (void)printf("# %s: %s is not for this store\n", topic->name, test->name);
        return;
    }
    struct trial *trial = &suite->trials[suite->count];
    *trial = (struct trial){.test = test, .url = suite->url, .number = (unsigned)suite->count};
    (void)snprintf(trial->name, sizeof trial->name, "%s: %s", topic->name, test->name);
    suite->units[suite->count++] = (struct CMUnitTest){.name = trial->name,
                                                       .test_func = run,
                                                       .setup_func = set_up,
                                                       .teardown_func = tear_down,
                                                       .initial_state = trial};
}

static int run_topics(struct suite *suite, char **names) {
    size_t most = 0;
    for (size_t i = 0; i < TOPIC_COUNT; i++)
        most += count_tests(topics[i]);
    suite->trials = calloc(most, sizeof *suite->trials);
    suite->units = calloc(most, sizeof *suite->units);
    int failed = 1;
    if (suite->trials && suite->units) {
        for (size_t i = 0; i < TOPIC_COUNT; i++)
            for (size_t j = 0; chosen(topics[i], names) && topics[i]->tests[j].name; j++)
                add_trial(suite, topics[i], &topics[i]->tests[j]);
        failed = _cmocka_run_group_tests("store", suite->units, suite->count, NULL, NULL);
    }
    free(suite->units);
    free(suite->trials);
    return failed;
}

int main(int argc, char **argv) {
    if (argc == 6 && strcmp(argv[1], "--child") == 0) return child_main(argv + 2);
    if (argc < 2) {
        (void)fprintf(stderr, "usage: check-store URL [TOPIC...]\n");
        return 2;
    }
    for (char **name = argv + 2; *name; name++) {
        if (known(*name)) continue;
        (void)fprintf(stderr, "check-store: no topic '%s'\n", *name);
        return 2;
    }
    cmocka_set_message_output(CM_OUTPUT_TAP);
    struct suite suite = {.url = argv[1]};
    if (read_caps(suite.url, &suite.caps)) return 1;
    return run_topics(&suite, argv + 2) ? 1 : 0;
}
