/* A program as handler. No shell: argv comes from the configuration, the job reaches the program as
 * bytes on its stdin and in REEVE_* variables. */
#ifndef RV_WORK_PROGRAM_H
#define RV_WORK_PROGRAM_H

#include "work/exec.h"
#include "work/run.h"

/* Runs argv for task and waits for its end, told to stop it as the task is. */
enum rv_ending rv_program_run(struct rv_exec *exec, char *const argv[],
                              const struct rv_place *place, struct reeve_task *task);

#endif
