/* Which handler runs which kind of job. */
#ifndef RV_WORK_HANDLERS_H
#define RV_WORK_HANDLERS_H

#include <reeve.h>

#include "base/error.h"

struct rv_handler {
    char *kind;        /* NULL: any that has no handler of its own */
    reeve_handler *fn; /* NULL: argv is a program */
    void *arg;
    char **argv; /* NULL-ended, one block */
};

struct rv_handlers {
    struct rv_handler *items;
    size_t count;
};

/* Each kind once: REEVE_EINVAL for the second. */
int rv_handlers_add_function(struct rv_handlers *handlers, const char *kind, reeve_handler *fn,
                             void *arg, struct rv_error *err);
int rv_handlers_add_program(struct rv_handlers *handlers, const char *kind,
                            const char *const argv[], struct rv_error *err);
const struct rv_handler *rv_handlers_find(const struct rv_handlers *handlers, const char *kind);
/* The kinds it knows, separated by spaces, "*" among them if it takes any. "": they do not fit. */
void rv_handlers_tell_kinds(const struct rv_handlers *handlers, char *out, size_t out_size);
bool rv_handlers_have_program(const struct rv_handlers *handlers);
void rv_handlers_release(struct rv_handlers *handlers);

#endif
