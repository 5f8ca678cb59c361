#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ms(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void progress_init(struct progress *progress, const char *what, bool quiet) {
    *progress = (struct progress){
        .what = what,
        .off = quiet || !isatty(STDERR_FILENO),
        .started_ms = now_ms(),
    };
}

void progress_show(struct progress *progress, uint64_t count) {
    if (progress->off) return;
    int64_t now = now_ms(), running_ms = now - progress->started_ms;
    if (running_ms < 1000 || now - progress->last_ms < 200) return;
    progress->last_ms = now;
    progress->shown = true;
    (void)fprintf(stderr, "\r%" PRIu64 " %s, %" PRIu64 " a second", count, progress->what,
                  count * 1000 / (uint64_t)running_ms);
    (void)fflush(stderr);
}

void progress_clear(struct progress *progress) {
    if (!progress->shown) return;
    progress->shown = false;
    (void)fputs("\r\033[K", stderr);
}
