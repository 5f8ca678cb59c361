/* Where the programs of a worker ask whether their lease is still good, without a store of their
 * own: a socket that only this user reaches. A request is a line, so is its answer:
 *
 *     check QUEUE/ID TOKEN.HOLDER     current | fenced | unsure TEXT | refused TEXT
 *
 * unsure: the store does not say. refused: that is no request. */
#ifndef RV_WORK_DESK_H
#define RV_WORK_DESK_H

#include "service/service.h"

#define RV_DESK_PATH_SIZE 108 /* what a socket's address has room for */

struct rv_desk;

/* Makes the socket, in a new folder below $XDG_RUNTIME_DIR, $TMPDIR or /tmp. */
int rv_desk_open(struct rv_desk **out, struct rv_service *service, struct rv_error *err);
int rv_desk_start(struct rv_desk *desk, struct rv_error *err); /* the thread that answers */
void rv_desk_close(struct rv_desk *desk); /* NULL is fine; the socket and its folder go */

const char *rv_desk_path(const struct rv_desk *desk); /* NULL if desk is */
const char *rv_desk_folder(const struct rv_desk *desk);

#endif
