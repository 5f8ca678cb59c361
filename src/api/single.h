/* One push on its way: checked and complete, then answered. */
#ifndef RV_API_SINGLE_H
#define RV_API_SINGLE_H

#include "api/handle.h"
#include "base/id.h"

struct rv_single {
    struct rv_new_job job; /* borrows from the caller's push */
    struct rv_pushed pushed;
    size_t out_size; /* of what the caller wants to know */
    char id[RV_GENERATED_ID_SIZE];
};

/* nonce 0: that of push or, if it has none, one is drawn. out may be NULL; only its size is looked
 * at. */
int rv_single_begin(struct rv_single *single, struct reeve *r, const struct reeve_push *push,
                    const struct reeve_pushed *out, uint64_t nonce, struct rv_error *err);
/* rc: of the store's step, which has filled pushed. Returns what the caller is told; *out is filled
 * if it is 0 or REEVE_EUNSURE. */
int rv_single_end(struct rv_single *single, struct reeve *r, int rc, struct reeve_pushed *out,
                  struct rv_error *err);

#endif
