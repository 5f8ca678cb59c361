/* A worker that answers each job at once: in a process of its own, with as many others as are asked
 * for, or in ours where no other process can see the store. */
#ifndef CLI_BENCH_PEER_H
#define CLI_BENCH_PEER_H

#include <sys/types.h>

#include "bench.h"

struct bench_peer {
    reeve *r;             /* ours, to push with */
    reeve_worker *worker; /* NULL if it is in another process */
    pid_t pid;            /* of that process, or 0 */
    int starts[2]; /* pipe: the time in ns at which each handler was entered; -1 if not asked for */
    int life[2];   /* pipe: the other process says "ready" and ends when it is closed */
};

/* Starts the worker and opens the store. Call it before any other handle is open: it forks. Returns
 * an exit code; bench_peer_close() in any case. */
int bench_peer_open(struct bench_peer *peer, const struct bench *b, int threads, bool tell_starts);
void bench_peer_close(struct bench_peer *peer);
/* When the next handler was entered. REEVE_ETIMEDOUT after timeout_ms. */
int bench_peer_started(struct bench_peer *peer, int64_t timeout_ms, int64_t *at_ns);

#endif
