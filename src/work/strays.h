/* Processes that a program leaves behind in a session or group of their own, where no signal to its
 * group reaches them. They are known by a mark in their environment, which children inherit:
 * REEVE_RUN=WORKER.NUMBER. One that wipes its environment as well gets away; only a cgroup or a
 * process namespace around the worker holds that one. */
#ifndef RV_WORK_STRAYS_H
#define RV_WORK_STRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RV_RUN_MARK_SIZE 64

struct rv_strays {
    char mark[RV_RUN_MARK_SIZE]; /* "REEVE_RUN=WORKER.", without the number */
    /* Is what carries that number to be killed? Asked once such a process was found. NULL: all. */
    bool (*is_over)(void *arg, uint64_t run);
    void *arg;
};

/* Looks at all processes and kills the strays, until a look finds none or ms are over: true if none
 * is left. Async-signal-safe if is_over is. */
bool rv_strays_end(const struct rv_strays *strays, int64_t ms);

#endif
