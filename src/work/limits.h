/* What programs may use, as the kernel is told. */
#ifndef RV_WORK_LIMITS_H
#define RV_WORK_LIMITS_H

#include <stddef.h>
#include <sys/resource.h>

#include <reeve.h>

enum { RV_LIMITS_MAX = 6 };

struct rv_limits {
    struct rv_limit {
        int resource; /* RLIMIT_* */
        struct rlimit value;
    } items[RV_LIMITS_MAX];
    size_t count;
};

/* As limits (checked) says, as far as the worker itself may; and no core files. */
void rv_limits_init(struct rv_limits *out, const struct reeve_limits *limits);
/* For the calling process: 0 or -1. Async-signal-safe. */
int rv_limits_apply(const struct rv_limits *limits);

#endif
