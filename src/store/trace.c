#include "store/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/around.h"

struct trace {
    struct rv_around around;
    struct rv_log log;
};

static int say_how_it_went(struct rv_around *around, const struct rv_call *call, int rc,
                           struct rv_error *err) {
    const struct trace *trace = (const struct trace *)around; /* around is its head */
    char id[32], text[RV_QUOTED_SIZE];
    (void)snprintf(id, sizeof id, "store.%s", rv_op_name(call->op));
    rv_log(&trace->log, REEVE_LOG_DEBUG, id, "queue=%s given=%zu got=%zu rc=%s us=%" PRId64 "%s%s",
           call->queue ? call->queue : "-", call->given, call->got, rc ? reeve_errname(rc) : "OK",
           rv_around_now_us() - call->began_us, rc && err ? " error=" : "",
           rc && err ? rv_log_quote(text, err->text) : "");
    return rc;
}

int rv_trace_open(struct rv_store **out, struct rv_store *inner, const struct rv_log *log,
                  struct rv_error *err) {
    struct trace *trace = malloc(sizeof *trace);
    if (!trace) return rv_fail(err, REEVE_ENOMEM, "trace a store");
    rv_around_init(&trace->around, inner);
    trace->around.after = say_how_it_went;
    trace->log = *log;
    trace->log.level = REEVE_LOG_DEBUG;
    *out = &trace->around.base;
    return 0;
}
