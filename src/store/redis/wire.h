/* Bytes to and from a server: a socket, with or without TLS over it. Nothing here waits that does
 * not say so. */
#ifndef RV_STORE_REDIS_WIRE_H
#define RV_STORE_REDIS_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "store/redis/target.h"

struct pollfd;
struct ssl_st;

enum {
    RV_RD_REASON_SIZE = 160,
    RV_RD_READ_MS = 1000, /* that a read which may wait takes at most */
};

struct rv_rd_wire {
    int fd;
    struct ssl_st *ssl;              /* NULL: plain */
    bool blocking;                   /* the socket is: what is not to wait says so by a flag */
    bool heard;                      /* something came by TLS, after the handshake */
    short read_events, write_events; /* what to poll for before the next try of either */
    char reason[RV_RD_REASON_SIZE];  /* why it broke */
};

/* Connects to the first address of target that answers, and shakes hands if that is by TLS.
 * REEVE_EUNREACHABLE if none does before deadline_ms. */
int rv_rd_wire_open(struct rv_rd_wire *wire, const struct rv_rd_target *target, int64_t deadline_ms,
                    struct rv_error *err);
void rv_rd_wire_close(struct rv_rd_wire *wire);

/* How many bytes went; 0: none can now; -1: it is broken, for the reason it holds. */
long rv_rd_wire_read(struct rv_rd_wire *wire, void *to, size_t size);
long rv_rd_wire_write(struct rv_rd_wire *wire, const void *from, size_t size);

/* Waiting and reading by one call to the kernel instead of two, where there is time for it: 0 if
 * nothing came in RV_RD_READ_MS. */
long rv_rd_wire_read_or_wait(struct rv_rd_wire *wire, void *to, size_t size);
bool rv_rd_wire_can_wait(const struct rv_rd_wire *wire, int64_t ms);
/* From now on a poll for reading is not woken by so many bytes or fewer; 0: by any. False: it is,
 * as that cannot be had. Who reads finds all of them at any time. */
bool rv_rd_wire_pass_over(const struct rv_rd_wire *wire, int bytes);

/* What to poll for until a read, or a write, may be tried again. True: one may be right now. */
bool rv_rd_wire_poll(const struct rv_rd_wire *wire, bool to_read, bool to_write,
                     struct pollfd *out);
/* Waits until a read, or a write, may be tried again. False when the time is over. */
bool rv_rd_wire_await(const struct rv_rd_wire *wire, bool to_read, bool to_write,
                      int64_t deadline_ms);

#endif
