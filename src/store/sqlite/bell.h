/* How a commit is heard by those who wait, in this process and in others, without polling: whoever
 * commits what may be waited for opens the write-ahead log and closes it again, and the kernel
 * tells those who watch that file. Nothing is changed by that: touched times would have to be
 * written, often by the very next sync. Nor are written frames heard: that would be before the
 * commit can be seen. A hint: who is killed between commit and ringing is heard at the next look,
 * within a second.
 *
 * It has two sounds, as the log is opened to read or to write: jobs that end are heard only by
 * those who wait for ends. A busy worker would wake itself with every job it hands in. */
#ifndef RV_STORE_SQLITE_BELL_H
#define RV_STORE_SQLITE_BELL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct rv_sq_bell {
    char *path;    /* of the log */
    int wake_fd;   /* an eventfd */
    int watch_fd;  /* inotify; -1 if the system has none left: then looks have to do */
    int watch;     /* of path in watch_fd, -1 if none */
    bool for_ends; /* what watch is for */
};

int rv_sq_bell_init(struct rv_sq_bell *bell, const char *path, struct rv_error *err);
void rv_sq_bell_release(struct rv_sq_bell *bell);
/* After a commit. only_ends: of jobs, and of nothing else that is waited for. */
void rv_sq_bell_ring(const struct rv_sq_bell *bell, bool only_ends);
void rv_sq_bell_wake(const struct rv_sq_bell *bell); /* this process's wait, under way or next */
/* Begins to listen, so that nothing that rings from here on is missed; for_ends: to both sounds. */
void rv_sq_bell_listen(struct rv_sq_bell *bell, bool for_ends);
/* Until it rings or ms are over; true if it was woken by rv_sq_bell_wake(). */
bool rv_sq_bell_wait(struct rv_sq_bell *bell, int64_t ms);

#endif
