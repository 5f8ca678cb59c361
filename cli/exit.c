#include "exit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <reeve.h>

#include "text.h"

int exit_code_of(int error) {
    switch (error) {
    case REEVE_OK:
        return EXIT_DONE;
    case REEVE_ESTATE:
    case REEVE_EFULL:
        return EXIT_NO;
    case REEVE_EINVAL:
    case REEVE_ETOOBIG:
    case REEVE_ENOTSUP:
    case REEVE_ESCHEMA:
    case REEVE_ECORRUPT:
        return EXIT_USAGE;
    case REEVE_ENOENT:
        return EXIT_UNKNOWN;
    case REEVE_ETIMEDOUT:
        return EXIT_LATE;
    case REEVE_EFENCED:
        return EXIT_FENCED;
    case REEVE_EUNREACHABLE:
        return EXIT_UNREACHABLE;
    case REEVE_EUNSURE:
        return EXIT_UNSURE;
    default:
        return EXIT_BROKEN;
    }
}

__attribute__((format(printf, 1, 0))) static void say(const char *format, va_list args) {
    char text[2048];
    (void)vsnprintf(text, sizeof text, format, args);
    (void)fputs("reeve: ", stderr);
    text_put(stderr, text, strlen(text));
    (void)fputc('\n', stderr);
}

int fail(int exit_code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    say(format, args);
    va_end(args);
    return exit_code;
}

int fail_usage(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say(format, args);
    va_end(args);
    return EXIT_USAGE;
}

int fail_api(int error) {
    return fail(exit_code_of(error), "%s", reeve_errmsg());
}
