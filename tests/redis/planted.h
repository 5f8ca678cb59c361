/* Somebody else's value on one of our keys, for each key and each operation (R13): whatever fails
 * says which key it is, and has done nothing; whatever does not, has done no harm. */
#ifndef REDIS_PLANTED_H
#define REDIS_PLANTED_H

#include "redis/queue.h"

/* A store with something in it, and who holds what of that. */
struct patient {
    struct line *line;
    struct rv_store *store;
    struct held_claim claim;           /* has "running" and "large" */
    struct held_claim marked;          /* has "marked", which was told to stop */
    uint64_t number;                   /* of the latest exchange that hands in */
    uint64_t term;                     /* of holder 7, who leads "boss" */
    struct rv_stream_ref ref;          /* has the stream "owned" */
    char letter[RV_LETTER_ID_MAX + 1]; /* a dead letter */
};

struct planted_op {
    const char *name;
    int (*run)(struct patient *p);
    bool in_two_steps; /* the first may have been done */
};

#define PLANTED_OP(function) \
    { .name = #function, .run = function }

/* Tries each of count operations with each key planted, after fill. At least ops_min of them are
 * to make sense there: they go well where nothing is planted. */
void planted_try(void **state, void (*fill)(struct patient *p), const struct planted_op *ops,
                 size_t count, size_t ops_min);

#endif
