/* The end of a run of bytes of any length, as text. */
#ifndef RV_WORK_TAIL_H
#define RV_WORK_TAIL_H

#include <stddef.h>

#include "core/limits.h"

struct rv_tail {
    char bytes[RV_ERROR_MESSAGE_MAX]; /* a ring */
    size_t size;                      /* of all that came */
};

void rv_tail_add(struct rv_tail *tail, const char *data, size_t size);
/* As one string: begins at a character, ends without line feeds, has no NUL inside. */
void rv_tail_text(const struct rv_tail *tail, char out[RV_ERROR_MESSAGE_MAX + 1]);

#endif
