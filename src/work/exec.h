/* A program as handler. No shell: argv comes from the configuration, the job reaches the program as
 * bytes on its stdin and in REEVE_* variables. */
#ifndef RV_WORK_EXEC_H
#define RV_WORK_EXEC_H

#include "work/run.h"

struct rv_exec_options {
    int64_t grace_ms; /* between TERM and KILL */
    enum reeve_in_doubt in_doubt;
    size_t result_max;
    const struct reeve_limits *limits; /* checked */
    size_t slots;                      /* programs at once */
};

struct rv_exec;

/* Copies the environment for the programs to come, and starts their guardian. */
int rv_exec_open(struct rv_exec **out, struct rv_service *service, const struct rv_drain *drain,
                 const struct rv_exec_options *options, struct rv_error *err);
void rv_exec_close(struct rv_exec *exec); /* NULL is fine; no program may be running */

/* Runs argv for task and waits for its end, told to stop it as the task is. */
enum rv_ending rv_exec_run(struct rv_exec *exec, char *const argv[], const struct rv_place *place,
                           struct reeve_task *task);

#endif
