/* A store to try things on: opened by url with a clock of its own, in a fresh space per test. All
 * calls of the vocabulary (jobs.h) go through handle(), which alternates between two handles where
 * the store can be shared: what one has written the other must know. */
#ifndef HARNESS_FIXTURE_H
#define HARNESS_FIXTURE_H

#include "base/clock.h"
#include "harness/totals.h"
#include "store/fault.h"
#include "store/store.h"

enum {
    LEASE_MS = 30000, /* of all claims that name no other */
    RETRY_MS = 1000,  /* the backoff of all retries: no jitter in tests */
    KEEP_MS = 3600000,
    CALL_MS = 20000, /* a sanitizer on a busy machine is slow */
    MARKED_MAX = 16,
};

struct fixture {
    const char *url;
    const char *queue; /* the one that the vocabulary speaks of: "jobs" */
    char space[REEVE_NAME_SIZE];
    struct rv_clock clock;
    struct rv_log log;
    struct rv_store *first, *second; /* the same one, if the store is private to a handle */
    unsigned calls;
    struct rv_fault_plan faults; /* of a faulty fixture */
    bool faulty;
    unsigned shards;                        /* of each queue: as the url says */
    uint64_t last_tokens[REEVE_SHARDS_MAX]; /* of the latest claims from "jobs", by shard */
    struct rv_error err;

    struct totals expected; /* kept by the vocabulary, compared at the end of each test */
    char marked[MARKED_MAX][REEVE_ID_SIZE]; /* running jobs that were told to stop */
    size_t marked_count;

    void **blocks; /* what the vocabulary handed out, freed at the end */
    size_t block_count;
};

/* Of the queues that are made by url. */
unsigned shards_by(const char *url);

/* Opens url in a new space; number makes it unique within the process. Fails the test if that
 * fails. */
void fixture_open(struct fixture *f, const char *url, unsigned number);
void fixture_close(struct fixture *f);
/* Closes both handles and opens them again: only where the store is durable. */
void fixture_reopen(struct fixture *f);
/* Puts both handles behind f->faults, a plan that is empty at first. */
void fixture_make_faulty(struct fixture *f);
/* Another handle on the same store and clock, in any space. The caller closes it. */
struct rv_store *fixture_open_space(struct fixture *f, const char *space);

struct rv_store *handle(struct fixture *f);
void *adopt(struct fixture *f, void *block); /* freed with the fixture; returns block */
bool shared(const struct fixture *f);

void move_clock(struct fixture *f, int64_t ms);
void lapse_leases(struct fixture *f); /* moves the clock past all leases of LEASE_MS */

/* Fails the test, with the store's words, if rc is not 0. */
#define CHECK_CALL(f, rc) check_call((f), (rc), #rc, __FILE__, __LINE__)
void check_call(struct fixture *f, int rc, const char *what, const char *file, int line);

#endif
