/* A store around another that keeps pushes in a local file while that one is away (design.md 8).
 * What is kept is forwarded later by service/forwarder.h, under the same id and nonce (J7, J14):
 * nothing is lost, and nothing is there twice. Other calls go through as they are.
 *
 * The file is a store itself (sqlite:), of which each store that is pushed to has a queue; a push
 * to be forwarded is a job there, its body a parcel (core/parcel.h): a forwarder claims it under a
 * lease, one that is refused for good is FAILED with the reason, one whose forwarder died lapses.
 * Bodies are as the store would have them: a codec goes around the spool. */
#ifndef RV_STORE_SPOOL_H
#define RV_STORE_SPOOL_H

#include "store/store.h"

struct rv_spool;

struct rv_spool_options {
    const char *path;
    int64_t max;     /* pushes that may wait */
    const char *url; /* of the store that is pushed to: whoever forwards names the same, though its
                       * password may differ */
    const struct rv_store_config *config; /* of that store; the file's is made of it */
};

/* *out owns inner from now on, and is closed as the store rv_spool_store(). The file is made if
 * need be, with its folders; one that cannot be had now is logged, and tried again when it is
 * needed. On failure inner is still the caller's. */
int rv_spool_open(struct rv_spool **out, struct rv_store *inner,
                  const struct rv_spool_options *options, struct rv_error *err);

/* To push through. A push that the inner store cannot take now (REEVE_EUNREACHABLE, REEVE_EUNSURE)
 * is kept and answered REEVE_SPOOLED, and so are all that come after it, so that they stay in
 * order, until rv_spool_emptied(). REEVE_EFULL: so many wait. If the file cannot be written either,
 * the inner store's error stands. */
struct rv_store *rv_spool_store(struct rv_spool *spool);
struct rv_store *rv_spool_target(struct rv_spool *spool); /* the inner one: to forward to */

/* The file, opened if need be, and the queue of our pushes in it. */
int rv_spool_file(struct rv_spool *spool, struct rv_store **out, struct rv_error *err);
const char *rv_spool_queue(const struct rv_spool *spool);
const char *rv_spool_path(const struct rv_spool *spool);
/* Nothing waits any more: what is pushed from now on goes to the store again. */
void rv_spool_emptied(struct rv_spool *spool);

#endif
