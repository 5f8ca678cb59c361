#include "shift.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "exit.h"

struct shift *shift_create(const struct cli *cli, int argc, char *const *argv, int *exit_code) {
    struct shift *shift = calloc(1, sizeof *shift);
    if (shift) shift->argv = calloc((size_t)argc + 1, sizeof *shift->argv);
    if (!shift || !shift->argv) {
        free(shift);
        *exit_code = fail(EXIT_BROKEN, "out of memory");
        return NULL;
    }
    memcpy(shift->argv, argv, (size_t)argc * sizeof *argv);
    shift->cli = *cli;
    shift->cli.spool_use = CLI_SPOOL_BESIDES;
    if (work_options_parse(&shift->options, &shift->cli, argc, shift->argv, exit_code))
        return shift;
    shift_destroy(shift);
    return NULL;
}

int shift_open(struct shift *shift, bool silent) {
    int exit_code;
    shift->cli.silent = silent;
    shift->r = cli_open(&shift->cli, &exit_code);
    if (!shift->r) return exit_code;
    int rc = reeve_worker_open(&shift->worker, shift->r, &shift->options.worker);
    return rc ? fail_api(rc) : work_options_handle(&shift->options, shift->worker);
}

static void *wait_for_end(void *arg) {
    struct shift *shift = arg;
    (void)reeve_worker_wait(shift->worker, REEVE_NONE);
    atomic_store(&shift->ended, true);
    (void)pthread_kill(shift->tells, SIGUSR1);
    return NULL;
}

int shift_start(struct shift *shift) {
    int rc = reeve_worker_start(shift->worker);
    if (rc) return fail_api(rc);
    shift->tells = pthread_self();
    if (pthread_create(&shift->thread, NULL, wait_for_end, shift))
        return fail(EXIT_BROKEN, "cannot start a thread");
    shift->started = true;
    return EXIT_DONE;
}

void shift_destroy(struct shift *shift) {
    if (!shift) return;
    if (shift->started) {
        reeve_worker_stop(shift->worker, 0);
        (void)pthread_join(shift->thread, NULL);
    }
    reeve_worker_close(shift->worker);
    reeve_close(shift->r);
    work_options_release(&shift->options);
    free(shift->argv);
    free(shift);
}
