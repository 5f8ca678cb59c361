/* A race being run: what the sessions hold, and what must hold whatever the order. */
#ifndef RACES_RACE_H
#define RACES_RACE_H

#include "harness/jobs.h"
#include "races/script.h"

enum { CLAIMS_MAX = 32, LOOKED_MAX = 8 };

struct session {
    struct held held; /* job NULL: nothing in hand */
    struct held looked[LOOKED_MAX];
    size_t looked_count;
    uint64_t grant_holder, grant_token; /* of the name, once it was had */
};

/* Every claim of the race, by token: a job comes to the next one only when this one has come to its
 * end. */
struct claim_note {
    char id[REEVE_ID_SIZE];
    uint64_t token;
    bool ended;
};

struct race {
    struct fixture *f;
    struct session sessions[SESSIONS_MAX];
    struct claim_note claims[CLAIMS_MAX];
    size_t claim_count;
    uint64_t last_term; /* of the name */
};

struct verb {
    const char *name;
    const char *usual; /* what it comes to if an order says nothing else; NULL: anything */
    const char *(*run)(struct race *race, struct session *session, const char *word);
};

const struct verb *verb_find(const char *name); /* or NULL */

/* Runs one order from the start: first steps, then each step with its expectation, then all that is
 * left to an end. Checks the invariants after each step. */
void race_run(struct race *race, const struct script *script, const struct order *order);

/* For verbs. */
void race_note_claim(struct race *race, const struct held *held);
void race_note_end(struct race *race, const char *id, uint64_t token); /* an outcome was accepted */

#endif
