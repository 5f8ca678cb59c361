/* A race being run: what the sessions hold, and what must hold whatever the order. */
#ifndef RACES_RACE_H
#define RACES_RACE_H

#include "harness/jobs.h"
#include "races/script.h"

enum { CLAIMS_MAX = 32, LOOKED_MAX = 8, STREAMS_MAX = 4 };

struct session {
    struct held held; /* job NULL: nothing in hand */
    struct held looked[LOOKED_MAX];
    size_t looked_count;
    uint64_t grant_holder, grant_token; /* of the name, once it was had */
    struct rv_stream_ref stream;        /* token 0: none was had */
};

/* Every claim of the race, by token: a job comes to the next one only when this one has come to its
 * end. */
struct claim_note {
    char id[REEVE_ID_SIZE];
    uint64_t token;
    bool ended;
};

struct stream_note {
    char name[WORD_SIZE];
    bool there;
    uint64_t owner;   /* the token it is owned under; 0: it is not */
    int64_t until_ms; /* and until then nobody else may have it */
};

struct race {
    struct fixture *f;
    struct session sessions[SESSIONS_MAX];
    struct claim_note claims[CLAIMS_MAX];
    size_t claim_count;
    uint64_t last_term; /* of the name */
    struct stream_note streams[STREAMS_MAX];
    size_t stream_count;
    uint64_t last_owner; /* the latest token of a stream */
    uint64_t requeued;   /* streams that came back in line by a lapse */
};

typedef const char *verb_fn(struct race *race, struct session *session, const char *word);

struct verb {
    const char *name;
    const char *usual; /* what it comes to if an order says nothing else; NULL: anything */
    verb_fn *run;
};

const struct verb *verb_find(const char *name); /* or NULL */

/* Runs one order from the start: first steps, then each step with its expectation, then all that is
 * left to an end. Checks the invariants after each step. */
void race_run(struct race *race, const struct script *script, const struct order *order);

/* For verbs. */
const char *word_of(int code); /* what a call came to */
void race_note_claim(struct race *race, const struct held *held);
void race_note_end(struct race *race, const char *id, uint64_t token); /* an outcome was accepted */

/* verbs_streams.c */
verb_fn run_offer, run_own, run_keep, run_end, run_yield, run_scan, run_reclaim;
/* Each stream is there once and owned by one at most, and the counts say so. */
void race_check_streams(struct race *race);
void race_settle_streams(struct race *race); /* each can still be had, and ended */

#endif
