#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#undef rv_fail /* the analyser's */

int rv_fail(struct rv_error *err, int code, const char *format, ...) {
    if (!err) return code;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    err->code = code;
    return code;
}

int rv_error_context(struct rv_error *err, const char *format, ...) {
    if (!err) return REEVE_EBUG;
    char context[RV_ERROR_TEXT_SIZE / 2], rest[RV_ERROR_TEXT_SIZE];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(context, sizeof context, format, args);
    va_end(args);
    memcpy(rest, err->text, sizeof rest);
    (void)snprintf(err->text, sizeof err->text, "%s: %.*s", context,
                   (int)(sizeof err->text - sizeof context - 3), rest);
    return err->code;
}
