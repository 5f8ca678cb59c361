#include <stdlib.h>

#include "api/errmsg.h"
#include "api/handle.h"
#include "core/check.h"
#include "service/watcher.h"

struct reeve_watch {
    struct rv_watcher *watcher;
};

int reeve_watch_open(reeve_watch **out, reeve *r, const char *queue, reeve_event_fn *fn,
                     void *arg) {
    struct rv_error err = {0};
    *out = NULL;
    int rc = queue ? rv_check_name("queue", queue, &err) : 0;
    if (rc) return rv_api_fail(&err);
    struct reeve_watch *watch = calloc(1, sizeof *watch);
    rc = watch ? rv_watcher_open(&watch->watcher, &r->service, queue, fn, arg, &err)
               : rv_fail(&err, REEVE_ENOMEM, "out of memory");
    if (rc) {
        free(watch);
        return rv_api_fail(&err);
    }
    *out = watch;
    return 0;
}

void reeve_watch_close(reeve_watch *w) {
    if (!w) return;
    rv_watcher_close(w->watcher);
    free(w);
}
