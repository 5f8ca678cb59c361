/* How far a long command has come: on a terminal, after its first second. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *what; /* is counted */
    bool off, shown;
    int64_t started_ms, last_ms;
};

void progress_init(struct progress *progress, const char *what, bool quiet);
void progress_show(struct progress *progress, uint64_t count); /* a few times a second at most */
void progress_clear(struct progress *progress);                /* before anything else is said */

#endif
