/* How the program ends, and how it says that something went wrong. */
#ifndef CLI_EXIT_H
#define CLI_EXIT_H

enum exit_code {
    EXIT_DONE = 0,
    EXIT_NO = 1,    /* the answer is no: the job failed or was cancelled; some lines were refused */
    EXIT_USAGE = 2, /* usage, bad value, bad configuration */
    EXIT_UNKNOWN = 3, /* no such job or queue */
    EXIT_LATE = 4,
    EXIT_FENCED = 5,
    EXIT_UNREACHABLE = 69,
    EXIT_BROKEN = 70, /* out of memory, or a bug */
    EXIT_UNSURE = 75,
    EXIT_INTERRUPTED = 130,
};

int exit_code_of(int error); /* of a REEVE_E* */

/* Each says "reeve: ..." on stderr, control bytes escaped, and returns the exit code. */
int fail(int exit_code, const char *format, ...) __attribute__((format(printf, 2, 3)));
int fail_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
int fail_api(int error); /* what reeve_errmsg() says */

#endif
