#include "colour.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool wanted(void) {
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    if ((no && *no) || (term && !strcmp(term, "dumb"))) return false;
    return isatty(STDOUT_FILENO);
}

const char *colour_of(enum reeve_state state) {
    if (!wanted()) return "";
    switch (state) {
    case REEVE_DELAYED:
    case REEVE_CANCELLED:
        return "\033[2m";
    case REEVE_RUNNING:
        return "\033[33m";
    case REEVE_DONE:
        return "\033[32m";
    case REEVE_FAILED:
        return "\033[31m";
    case REEVE_READY:
        break;
    }
    return "\033[1m";
}

const char *colour_end(void) {
    return wanted() ? "\033[0m" : "";
}
