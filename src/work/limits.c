#include "work/limits.h"

enum { KILL_AFTER_S = 1 }; /* of processor time, between SIGXCPU and SIGKILL */

/* soft, and hard for those who go on; neither above what the worker has. */
static void add(struct rv_limits *out, int resource, rlim_t soft, rlim_t hard) {
    struct rlimit own;
    if (getrlimit(resource, &own)) own.rlim_max = RLIM_INFINITY;
    if (hard > own.rlim_max) hard = own.rlim_max;
    if (soft > hard) soft = hard;
    out->items[out->count++] = (struct rv_limit){resource, {.rlim_cur = soft, .rlim_max = hard}};
}

static void add_if_set(struct rv_limits *out, int resource, uint64_t value) {
    if (value) add(out, resource, (rlim_t)value, (rlim_t)value);
}

void rv_limits_init(struct rv_limits *out, const struct reeve_limits *limits) {
    out->count = 0;
    add(out, RLIMIT_CORE, 0, 0); /* it may hold other people's secrets */
    add_if_set(out, RLIMIT_AS, limits->memory);
    add_if_set(out, RLIMIT_NOFILE, (uint64_t)limits->files);
    add_if_set(out, RLIMIT_NPROC, (uint64_t)limits->processes);
    add_if_set(out, RLIMIT_FSIZE, limits->file_size);
    if (limits->cpu_ms) {
        rlim_t seconds = (rlim_t)(limits->cpu_ms / 1000 + (limits->cpu_ms % 1000 ? 1 : 0));
        add(out, RLIMIT_CPU, seconds, seconds + KILL_AFTER_S);
    }
}

int rv_limits_apply(const struct rv_limits *limits) {
    for (size_t i = 0; i < limits->count; i++) {
        const struct rv_limit *limit = &limits->items[i];
        if (setrlimit(limit->resource, &limit->value)) return -1;
    }
    return 0;
}
