/* How far a long command has come: on a terminal, after its first second. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *what; /* is counted */
    uint64_t total;   /* of the way; 0: nobody knows */
    bool off, shown;
    int64_t started_ms, last_ms;
};

void progress_init(struct progress *progress, const char *what, uint64_t total, bool quiet);
/* A few times a second at most. way: how much of the total is behind us. */
void progress_show(struct progress *progress, uint64_t count, uint64_t way);
void progress_clear(struct progress *progress); /* before anything else is said */

#endif
