/* The hook after an execution: somebody's code that sees how it ended, before that is handed in. */
#ifndef RV_WORK_HOOK_H
#define RV_WORK_HOOK_H

#include "work/task.h"

struct rv_hook {
    reeve_after_fn *fn; /* NULL: there is none */
    void *arg;
};

/* Calls it and returns what the ending is then. What it says that makes no sense is logged and
 * ignored. */
enum rv_ending rv_hook_call(const struct rv_hook *hook, struct reeve_task *task,
                            enum rv_ending ending);

#endif
