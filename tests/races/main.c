/* check-races URL FILE...: runs every order of every race on the store that URL names. Each is one
 * test. TAP. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "races/race.h"

enum { NAME_SIZE = 256 };

struct trial {
    const char *url;
    unsigned number;
    const struct script *script;
    const struct order *order;
    char name[NAME_SIZE];
    struct fixture fixture;
};

static int set_up(void **state) {
    struct trial *trial = *state;
    fixture_open(&trial->fixture, trial->url, trial->number);
    return 0;
}

static void run(void **state) {
    struct trial *trial = *state;
    struct race race = {.f = &trial->fixture};
    race_run(&race, trial->script, trial->order);
}

static int tear_down(void **state) {
    struct trial *trial = *state;
    fixture_close(&trial->fixture);
    return 0;
}

/* "late-finish.race: c1 t f1!fenced" */
static void name_trial(struct trial *trial) {
    const struct order *order = trial->order;
    size_t used = (size_t)snprintf(trial->name, NAME_SIZE, "%s:", trial->script->name);
    for (size_t i = 0; i < order->count && used < NAME_SIZE; i++) {
        const struct step *step = &trial->script->steps[order->steps[i]];
        bool unusual = *order->expected[i] && strcmp(order->expected[i], step->verb->usual) != 0;
        used += (size_t)snprintf(trial->name + used, NAME_SIZE - used, " %s%s%s", step->name,
                                 unusual ? "!" : "", unusual ? order->expected[i] : "");
    }
}

static int run_orders(const char *url, const struct script *scripts, size_t count, size_t total) {
    struct trial *trials = calloc(total, sizeof *trials);
    struct CMUnitTest *units = calloc(total, sizeof *units);
    int failed = 1;
    size_t added = 0;
    for (size_t i = 0; trials && units && i < count; i++) {
        for (size_t j = 0; j < scripts[i].order_count; j++, added++) {
            struct trial *trial = &trials[added];
            *trial = (struct trial){.url = url,
                                    .number = (unsigned)added,
                                    .script = &scripts[i],
                                    .order = &scripts[i].orders[j]};
            name_trial(trial);
            units[added] = (struct CMUnitTest){trial->name, run, set_up, tear_down, trial};
        }
    }
    if (added) failed = _cmocka_run_group_tests("races", units, added, NULL, NULL);
    free(units);
    free(trials);
    return failed;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        (void)fprintf(stderr, "usage: check-races URL FILE...\n");
        return 2;
    }
    cmocka_set_message_output(CM_OUTPUT_TAP);
    size_t count = (size_t)argc - 2, total = 0, read = 0;
    struct script *scripts = calloc(count, sizeof *scripts);
    bool good = scripts != NULL;
    for (; good && read < count; read++) {
        good = script_read(&scripts[read], argv[read + 2]);
        total += scripts[read].order_count;
    }
    int failed = good ? run_orders(argv[1], scripts, count, total) : 1;
    for (size_t i = 0; i < read; i++)
        script_release(&scripts[i]);
    free(scripts);
    return failed ? 1 : 0;
}
