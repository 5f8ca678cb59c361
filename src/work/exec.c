#include "work/exec.h"

#include <stdlib.h>

/* Programs can do without it; whoever runs the worker should know. */
static void open_desk(struct rv_exec *exec) {
    struct rv_error err;
    char text[RV_QUOTED_SIZE];
    if (!rv_desk_open(&exec->desk, exec->service, &err)) return;
    rv_log(&exec->service->log, REEVE_LOG_WARN, "socket.missing", "text=%s",
           rv_log_quote(text, err.text));
}

static int start_helpers(struct rv_exec *exec, struct rv_error *err) {
    const struct rv_custody_options options = {
        .slots = exec->options.slots,
        .id = exec->options.worker_id,
        .socket = rv_desk_path(exec->desk),
        .folder = rv_desk_folder(exec->desk),
    };
    int rc = rv_custody_open(&exec->custody, &options, &exec->service->log, err);
    if (rc) return rc;
    if (rv_environment_init(&exec->environment, exec->custody.strays.mark,
                            rv_desk_path(exec->desk)))
        return rv_fail(err, REEVE_ENOMEM, "no memory to run programs");
    return exec->desk ? rv_desk_start(exec->desk, err) : 0;
}

int rv_exec_open(struct rv_exec **out, struct rv_service *service, const struct rv_drain *drain,
                 const struct rv_exec_options *options, struct rv_error *err) {
    *out = NULL;
    struct rv_exec *exec = calloc(1, sizeof *exec);
    if (!exec) return rv_fail(err, REEVE_ENOMEM, "no memory to run programs");
    exec->service = service;
    exec->drain = drain;
    exec->options = *options;
    rv_limits_init(&exec->limits, options->limits);
    open_desk(exec);
    int rc = start_helpers(exec, err);
    if (rc)
        rv_exec_close(exec);
    else
        *out = exec;
    return rc;
}

void rv_exec_close(struct rv_exec *exec) {
    if (!exec) return;
    rv_custody_close(&exec->custody);
    rv_desk_close(exec->desk);
    rv_environment_release(&exec->environment);
    free(exec);
}
