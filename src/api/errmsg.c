#include "api/errmsg.h"

#include <stdio.h>

static _Thread_local char last_failure[RV_ERROR_TEXT_SIZE];

int rv_api_fail(const struct rv_error *err) {
    const char *text = err->text[0] ? err->text : reeve_strerror(err->code);
    (void)snprintf(last_failure, sizeof last_failure, "%s", text);
    return err->code;
}

int rv_api_result(int code, const struct rv_error *err) {
    return code ? rv_api_fail(err) : REEVE_OK;
}

const char *reeve_errmsg(void) {
    return last_failure;
}

const char *reeve_strerror(int error) {
    switch (error) {
    case REEVE_OK:
        return "no error";
#define REEVE_X(name, value, text) \
    case value:                    \
        return text;
        REEVE_ERRORS(REEVE_X)
#undef REEVE_X
    default:
        return "unknown error";
    }
}

const char *reeve_errname(int error) {
    switch (error) {
    case REEVE_OK:
        return "OK";
#define REEVE_X(name, value, text) \
    case value:                    \
        return #name;
        REEVE_ERRORS(REEVE_X)
#undef REEVE_X
    default:
        return "E?";
    }
}

bool reeve_retriable(int error) {
    return error == REEVE_EUNREACHABLE || error == REEVE_EUNSURE || error == REEVE_ETIMEDOUT ||
           error == REEVE_ENOMEM;
}
