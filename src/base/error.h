/* An error as an out value: made where the cause is known, owned by the caller, shown once at the
 * top. */
#ifndef RV_BASE_ERROR_H
#define RV_BASE_ERROR_H

#include <reeve.h>

#define RV_ERROR_TEXT_SIZE 512

struct rv_error {
    int code; /* REEVE_E*, 0 if none */
    char text[RV_ERROR_TEXT_SIZE];
};

/* There is none so far. Cheaper than {0}, which clears all of the text. */
static inline void rv_error_clear(struct rv_error *err) {
    err->code = 0;
    err->text[0] = '\0';
}

/* Fills *err (which may be NULL) and returns code, so that a function can `return rv_fail(...)`. */
int rv_fail(struct rv_error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#ifdef __clang_analyzer__ /* which would have it return 0, and go on from there */
#define rv_fail(err, code, ...) ((void)rv_fail(err, code, __VA_ARGS__), (code))
#endif

/* Puts "context: " before the text that is there; returns err's code. */
int rv_error_context(struct rv_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
