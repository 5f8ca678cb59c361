/* The host's clocks plus an offset that is 0 in production and moved by tests (J8). */
#ifndef RV_BASE_CLOCK_H
#define RV_BASE_CLOCK_H

#include <stdatomic.h>
#include <stdint.h>

struct rv_clock {
    _Atomic int64_t offset_ms;
};

extern const struct rv_clock rv_clock_real; /* offset 0, never moved */

int64_t
rv_clock_wall_us(const struct rv_clock *clock); /* since the epoch: tokens, run_at, display */
int64_t rv_clock_wall_ms(const struct rv_clock *clock);
/* CLOCK_BOOTTIME: leases of same-host stores, local deadlines. Goes on in suspend, never steps. */
int64_t rv_clock_boot_us(const struct rv_clock *clock);
int64_t rv_clock_boot_ms(const struct rv_clock *clock);
/* How far it is ahead of the machine's own: 0 but in a time namespace. For those who compare what
 * several processes read there. */
int64_t rv_clock_boot_ahead_ms(void);
void rv_clock_move(struct rv_clock *clock, int64_t ms); /* tests only */

/* Saturating: a + b without overflow, for times and delays. */
int64_t rv_time_add(int64_t a, int64_t b);

#endif
