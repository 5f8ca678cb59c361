/* One of the two stores that get the same operations. What differs between them by right (tokens,
 * holders, exact times) is told in words that do not: the third token met, the second minute since
 * the start. So two answers are equal if and only if their texts are. */
#ifndef DIFFERENTIAL_SIDE_H
#define DIFFERENTIAL_SIDE_H

#include <stdio.h>

#include "store/store.h"

enum {
    QUEUES = 2,
    LANES = 2,
    CLAIMS_MAX = 1024,
    TOKENS_MAX = 2048,
    OUTCOMES_MAX = 4,
    PUSHES_KEPT = 8,
    CALL_MS = 20000,
    /* All durations and moves of the clock are whole minutes, and a sequence takes much less real
     * time than one: so whether something is due does not hang on how fast a store is. */
    MINUTE_MS = 60000,
    /* A server's clock is known only about: what it notes may seem to be from before the start. */
    CLOCKS_APART_MS = 5000,
    /* The clock also moves this much before each operation, so that times of one minute have the
     * same order in both stores. */
    TICK_MS = 4,
};

struct claim { /* kept for the whole sequence, so that stale ones can be tried */
    int queue;
    uint64_t holder, token;
    struct reeve_job **jobs;
    size_t count;
};

struct lane { /* the latest request, for its repeat */
    bool used;
    int64_t used_at_ms;
    uint64_t number;
    struct rv_exchange request;
    struct rv_outcome outcomes[OUTCOMES_MAX];
};

struct made_push {  /* one of the latest, for its repeat */
    uint64_t nonce; /* 0: none was made */
    uint32_t dice[8];
};

struct owned { /* a stream, once; kept as claims are */
    const char *group;
    char name[REEVE_ID_SIZE];
    uint64_t holder, token;
};

struct side {
    const char *name;
    struct rv_store *store;
    int64_t start_ms;
    uint64_t salt;  /* makes nonces and holders unique over sequences that share a store */
    uint64_t drawn; /* nonces and holders so far: the same number on both sides */
    uint64_t tokens[TOKENS_MAX];
    size_t token_count;
    struct made_push pushes[PUSHES_KEPT]; /* a ring */
    size_t push_count;
    struct claim claims[CLAIMS_MAX];
    size_t claim_count;
    struct owned owned[CLAIMS_MAX];
    size_t owned_count;
    struct lane lanes[QUEUES][LANES];
    uint64_t events_after[QUEUES];
    struct rv_bell bells[QUEUES];
};

/* Opens a store for one sequence. 0, or an error that was printed. */
int side_open(struct side *side, const char *name, const char *url, const char *space,
              uint64_t salt, const struct rv_clock *clock);
void side_close(struct side *side);

uint64_t side_draw(struct side *side); /* a nonce or a holder */
void side_keep_claim(struct side *side, int queue, uint64_t holder, struct rv_exchanged *got);
/* Forgets what is kept for a repeat. */
void side_clear_lane(struct lane *lane);

/* ---- telling ---- */
const char *queue_name(int queue);
size_t side_token(struct side *side, uint64_t token); /* 0 stays 0; else the how-manieth met */
long long side_minute(const struct side *side, int64_t at_ms); /* -1: never */
/* Of durations until something: whole minutes, rounded up; 0 and -1 stay. */
long long minutes_until(int64_t ms);
void tell_job(struct side *side, FILE *to, const struct reeve_job *job);

#endif
