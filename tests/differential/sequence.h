/* A sequence of operations, made from a seed, run on both stores, made short when they differ. */
#ifndef DIFFERENTIAL_SEQUENCE_H
#define DIFFERENTIAL_SEQUENCE_H

#include "differential/verbs.h"

enum { VERBS_MAX = 64 };

struct duel {
    const char *oracle_url, *url;
    uint64_t salt;               /* of the next run */
    size_t calls[VERBS_MAX];     /* per verb */
    size_t successes[VERBS_MAX]; /* of these, answered with 0 and words */
};

/* length operations; free() them. The same seed and number make the same ones. */
struct op *sequence_make(uint64_t seed, uint64_t number, size_t length);

enum { DUEL_EQUAL, DUEL_DIFFERS, DUEL_BROKEN };
/* Runs ops on both. With DUEL_DIFFERS *used is how many were run until then, and *what, if not
 * NULL, becomes one block that shows the calls and both answers to the last. DUEL_BROKEN: a store
 * could not be opened. */
int sequence_run(struct duel *duel, const struct op *ops, size_t count, size_t *used, char **what);
/* Drops operations as long as the stores still differ. Returns how many are left. */
size_t sequence_shrink(struct duel *duel, struct op *ops, size_t count);

#endif
