#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_MS = 1000, AGAIN_MS = 200, BAR_WIDTH = 30 };

static int64_t now_ms(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void progress_init(struct progress *progress, const char *what, uint64_t total, bool quiet) {
    *progress = (struct progress){
        .what = what,
        .total = total,
        .off = quiet || !isatty(STDERR_FILENO),
        .started_ms = now_ms(),
    };
}

/* [##########                    ]  33% */
static void print_bar(double part) {
    static const char full[] = "##############################";
    _Static_assert(sizeof full == BAR_WIDTH + 1, "the bar is as wide as it is");
    int width = (int)(part * BAR_WIDTH);
    (void)fprintf(stderr, "[%.*s%*s] %3d%%  ", width, full, BAR_WIDTH - width, "",
                  (int)(part * 100));
}

void progress_show(struct progress *progress, uint64_t count, uint64_t way) {
    if (progress->off) return;
    int64_t now = now_ms(), running_ms = now - progress->started_ms;
    if (running_ms < FIRST_MS || now - progress->last_ms < AGAIN_MS) return;
    progress->last_ms = now;
    progress->shown = true;
    (void)fputc('\r', stderr);
    if (progress->total)
        print_bar(way < progress->total ? (double)way / (double)progress->total : 1);
    (void)fprintf(stderr, "%" PRIu64 " %s, %" PRIu64 " a second\033[K", count, progress->what,
                  count * 1000 / (uint64_t)running_ms);
    (void)fflush(stderr);
}

void progress_clear(struct progress *progress) {
    if (!progress->shown) return;
    progress->shown = false;
    (void)fputs("\r\033[K", stderr);
}
