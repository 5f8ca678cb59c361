/* A time that was given for all that a command does: to open the store is part of it. */
#ifndef CLI_SPAN_H
#define CLI_SPAN_H

#include <stdbool.h>
#include <stdint.h>

struct span {
    int64_t until_ms; /* CLOCK_MONOTONIC; REEVE_NONE: for ever */
};

struct span span_begin(int64_t ms); /* or REEVE_NONE */
/* For the library: what is left of it, or REEVE_NONE. */
int64_t span_left_ms(const struct span *span);
bool span_is_over(const struct span *span);
void span_pause(int64_t ms); /* sleeps for so long */
/* How long a call to the store may take then, for cli.call_ms. Even the shortest leaves room for a
 * look. */
int64_t span_call_ms(const struct span *span);

#endif
