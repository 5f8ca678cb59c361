#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const struct rv_clock rv_clock_real = {0};

static int64_t read_us(clockid_t id) {
    struct timespec now;
    (void)clock_gettime(id, &now); /* cannot fail with these ids and a valid pointer */
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int64_t offset_ms(const struct rv_clock *clock) {
    return atomic_load_explicit(&clock->offset_ms, memory_order_relaxed);
}

int64_t rv_clock_wall_us(const struct rv_clock *clock) {
    return read_us(CLOCK_REALTIME) + offset_ms(clock) * 1000;
}

int64_t rv_clock_wall_ms(const struct rv_clock *clock) {
    return rv_clock_wall_us(clock) / 1000;
}

int64_t rv_clock_boot_us(const struct rv_clock *clock) {
    return read_us(CLOCK_BOOTTIME) + offset_ms(clock) * 1000;
}

int64_t rv_clock_boot_ms(const struct rv_clock *clock) {
    return rv_clock_boot_us(clock) / 1000;
}

/* "boottime SECONDS NANOSECONDS"; the first kernels that had it wrote the clock's number. */
int64_t rv_clock_boot_ahead_ms(void) {
    int64_t ahead_ms = 0;
    char line[128];
    FILE *file = fopen("/proc/self/timens_offsets", "re"); /* none: there are no namespaces */
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "boottime ", 9) != 0 && strncmp(line, "7 ", 2) != 0) continue;
        char *rest = strchr(line, ' ');
        ahead_ms = (int64_t)strtoll(rest, &rest, 10) * 1000;
        ahead_ms += (int64_t)strtoll(rest, NULL, 10) / 1000000;
    }
    if (file) (void)fclose(file);
    return ahead_ms;
}

void rv_clock_move(struct rv_clock *clock, int64_t ms) {
    atomic_fetch_add(&clock->offset_ms, ms);
}

int64_t rv_time_add(int64_t a, int64_t b) {
    int64_t sum;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return b > 0 ? INT64_MAX : INT64_MIN;
}
