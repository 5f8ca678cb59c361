/* A process that knows the process groups of all programs a worker runs, and kills them when the
 * worker is gone: however it dies, children and grandchildren die with it, strays included, and its
 * socket goes. It holds one end of a socket; the end of the other is what it waits for. The groups
 * are in memory that it shares with the worker, so that a program's start and end need not wake it.
 */
#ifndef RV_WORK_GUARDIAN_H
#define RV_WORK_GUARDIAN_H

#include <stdatomic.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/log.h"
#include "work/strays.h"

#define RV_GUARDIAN_NAME "reeve-guardian" /* of the process */

struct rv_guardian;

/* What a dead worker leaves, besides groups. */
struct rv_estate {
    struct rv_strays strays; /* all of them: is_over is not asked */
    const char *socket;      /* a file, and the folder around it; NULL: none. */
    const char *folder;
};

/* Forks. slots: groups at once. What estate points to outlives the guardian. */
int rv_guardian_start(struct rv_guardian **out, size_t slots, const struct rv_estate *estate,
                      const struct rv_log *log, struct rv_error *err);
void rv_guardian_stop(struct rv_guardian *guardian); /* NULL is fine; no group may be left */

/* Between these two a program is started for a slot: it is to put its own group into *group before
 * it runs, so that there is no moment in which nobody knows it. The guardian is alive at enter,
 * another one if need be, and no other takes its place before leave. */
int rv_guardian_enter(struct rv_guardian *guardian, size_t slot, _Atomic pid_t **group,
                      struct rv_error *err);
void rv_guardian_leave(struct rv_guardian *guardian);
/* The group of slot is killed, and not reaped yet. */
void rv_guardian_drop(struct rv_guardian *guardian, size_t slot);

/* Hangs up when the guardian has died; its number never changes. */
int rv_guardian_fd(const struct rv_guardian *guardian);
/* Puts another in its place if it has: false if that cannot be done now. */
bool rv_guardian_check(struct rv_guardian *guardian);

#endif
