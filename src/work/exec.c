/* _GNU_SOURCE: MAP_ANONYMOUS. */
#define _GNU_SOURCE
#include "work/exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

uint64_t rv_exec_begin(struct rv_exec *exec, size_t slot) {
    uint64_t run = atomic_fetch_add(&exec->last_run, 1) + 1;
    atomic_store(&exec->runs[slot], run);
    return run;
}

void rv_exec_end(struct rv_exec *exec, size_t slot, bool wait) {
    atomic_store(&exec->runs[slot], 0);
    rv_sweeper_ask(&exec->sweeper, wait);
}

static bool is_over(void *arg, uint64_t run) {
    const struct rv_exec *exec = arg;
    for (size_t i = 0; i < exec->options.slots; i++) {
        if (atomic_load(&exec->runs[i]) == run) return false;
    }
    return true;
}

/* ---- opening ---- */

static void describe_strays(struct rv_exec *exec) {
    (void)snprintf(exec->strays.mark, sizeof exec->strays.mark, "REEVE_RUN=%s.",
                   exec->options.worker_id);
    exec->strays.is_over = is_over;
    exec->strays.arg = exec;
}

/* Programs can do without it; whoever runs the worker should know. */
static void open_desk(struct rv_exec *exec) {
    struct rv_error err;
    char text[RV_QUOTED_SIZE];
    if (!rv_desk_open(&exec->desk, exec->service, &err)) return;
    rv_log(&exec->service->log, REEVE_LOG_WARN, "socket.missing", "text=%s",
           rv_log_quote(text, err.text));
}

static int make_tables(struct rv_exec *exec, struct rv_error *err) {
    size_t slots = exec->options.slots, size = slots * sizeof *exec->failures;
    void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    exec->failures = shared != MAP_FAILED ? shared : NULL;
    exec->runs = calloc(slots, sizeof *exec->runs);
    bool made =
        exec->failures && exec->runs &&
        !rv_environment_init(&exec->environment, exec->strays.mark, rv_desk_path(exec->desk));
    return made ? 0 : rv_fail(err, REEVE_ENOMEM, "no memory to run programs");
}

static int start_helpers(struct rv_exec *exec, struct rv_error *err) {
    struct rv_estate estate = {
        .strays = exec->strays,
        .socket = rv_desk_path(exec->desk),
        .folder = rv_desk_folder(exec->desk),
    };
    int rc =
        rv_guardian_start(&exec->guardian, exec->options.slots, &estate, &exec->service->log, err);
    if (!rc) rc = rv_sweeper_start(&exec->sweeper, &exec->strays, err);
    if (rc) return rc;
    exec->sweeping = true;
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
    describe_strays(exec);
    open_desk(exec);
    int rc = make_tables(exec, err);
    if (!rc) rc = start_helpers(exec, err);
    if (rc)
        rv_exec_close(exec);
    else
        *out = exec;
    return rc;
}

void rv_exec_close(struct rv_exec *exec) {
    if (!exec) return;
    if (exec->sweeping) rv_sweeper_stop(&exec->sweeper);
    rv_guardian_stop(exec->guardian);
    rv_desk_close(exec->desk);
    if (exec->failures) (void)munmap(exec->failures, exec->options.slots * sizeof *exec->failures);
    free(exec->runs);
    rv_environment_release(&exec->environment);
    free(exec);
}
