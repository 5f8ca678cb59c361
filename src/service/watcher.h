/* Events of one queue, or of all, told one by one from a thread of their own. Best effort: a queue
 * that is new, or a watcher that is slow, may have some missed; none is invented. */
#ifndef RV_SERVICE_WATCHER_H
#define RV_SERVICE_WATCHER_H

#include "service/service.h"

struct rv_watcher;

/* Events that are written after this returns are told, of queues that exist by then. queue NULL:
 * all. */
int rv_watcher_open(struct rv_watcher **out, struct rv_service *service, const char *queue,
                    reeve_event_fn *fn, void *arg, struct rv_error *err);
void rv_watcher_close(struct rv_watcher *watcher); /* NULL is fine; fn is not called after it */

#endif
