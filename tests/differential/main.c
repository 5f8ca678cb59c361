/* duel URL [--sequences N] [--length N] [--seed N] [--first N]: random operations on the memory
 * store, which is the oracle, and on the one that URL names; every answer must be the same. Writes
 * TAP. On a difference it says how to repeat it, and shows the shortest sequence it found. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "differential/sequence.h"

struct settings {
    const char *url;
    uint64_t sequences, length, seed, first;
};

static int parse(int argc, char **argv, struct settings *out) {
    *out = (struct settings){
        .url = argc > 1 ? argv[1] : NULL, .sequences = 400, .length = 50, .seed = 1};
    for (int i = 2; i < argc; i += 2) {
        char *end;
        if (i + 1 == argc) return -1;
        uint64_t value = strtoull(argv[i + 1], &end, 10);
        if (*end) return -1;
        if (strcmp(argv[i], "--sequences") == 0)
            out->sequences = value;
        else if (strcmp(argv[i], "--length") == 0)
            out->length = value;
        else if (strcmp(argv[i], "--seed") == 0)
            out->seed = value;
        else if (strcmp(argv[i], "--first") == 0)
            out->first = value;
        else
            return -1;
    }
    return out->url && out->length > 0 ? 0 : -1;
}

static void show(const char *text) {
    for (const char *line = text; *line;) {
        size_t size = strcspn(line, "\n");
        (void)printf("# %.*s\n", (int)size, line);
        line += size + (line[size] == '\n');
    }
}

/* story: of the run in which they differed. */
static void explain(struct duel *duel, struct op *ops, size_t used, const struct settings *settings,
                    uint64_t number, const char *story) {
    (void)printf("# seed %" PRIu64 ", sequence %" PRIu64 ": they differ after %zu operations\n",
                 settings->seed, number, used);
    (void)printf("# repeat: duel URL --seed %" PRIu64 " --first %" PRIu64
                 " --sequences 1 --length %" PRIu64 "\n",
                 settings->seed, number, settings->length);
    show(story);
    size_t left = sequence_shrink(duel, ops, used);
    char *what = NULL;
    bool again = sequence_run(duel, ops, left, &used, &what) == DUEL_DIFFERS;
    (void)printf("# the shortest has %zu operations and %s:\n", left,
                 again ? "still differs" : "does not differ again, so time has a part in it");
    if (what) show(what);
    free(what);
}

/* The first sequence that differs, or settings->sequences. */
static uint64_t fight(struct duel *duel, const struct settings *settings) {
    uint64_t i;
    int outcome = DUEL_EQUAL;
    for (i = 0; outcome == DUEL_EQUAL && i < settings->sequences; i++) {
        uint64_t number = settings->first + i;
        struct op *ops = sequence_make(settings->seed, number, settings->length);
        size_t used = 0;
        char *story = NULL;
        outcome = sequence_run(duel, ops, settings->length, &used, &story);
        if (outcome == DUEL_DIFFERS) explain(duel, ops, used, settings, number, story);
        free(story);
        free(ops);
    }
    return outcome == DUEL_EQUAL ? i : i - 1;
}

/* A verb that never got through proves nothing. */
static bool all_tried(const struct duel *duel) {
    bool all = true;
    for (size_t i = 0; i < verb_count; i++) {
        (void)printf("# %-30s %zu calls, %zu not refused\n", verbs[i].name, duel->calls[i],
                     duel->successes[i]);
        if (!duel->successes[i]) all = false;
    }
    return all;
}

int main(int argc, char **argv) {
    struct settings settings;
    if (parse(argc, argv, &settings)) {
        (void)fprintf(stderr,
                      "usage: duel URL [--sequences N] [--length N] [--seed N] [--first N]\n");
        return 2;
    }
    struct duel duel = {.oracle_url = "memory:",
                        .url = settings.url,
                        .salt = rv_random_u64(&rv_random_system) >> 2 << 20};
    (void)printf("1..2\n");
    uint64_t equal = fight(&duel, &settings);
    bool alike = equal == settings.sequences;
    (void)printf("%sok 1 - %" PRIu64 " sequences of %" PRIu64 " from seed %" PRIu64
                 " are answered alike\n",
                 alike ? "" : "not ", equal, settings.length, settings.seed);
    bool all = all_tried(&duel);
    (void)printf("%sok 2 - every operation got through\n", all ? "" : "not ");
    return alike && all ? 0 : 1;
}
