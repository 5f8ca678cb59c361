/* The failed jobs of a queue: which are meant, and what is done with them. */
#ifndef CLI_FAILED_H
#define CLI_FAILED_H

#include "args.h"

struct failed_choice {
    const char *queue;
    const char *matches; /* a part of the error's message or code; NULL: any */
    bool all, dry_run;
};

bool failed_is_meant(const struct failed_choice *choice, const struct reeve_job *job);
/* --error-matches "" means nothing. An exit code. */
int failed_check(const struct failed_choice *choice);

/* What is done with each of them. */
struct failed_verb {
    const char *done; /* "revived" */
    int (*act)(reeve *r, const struct reeve_job *job);
    /* With all of them at once, if there is a faster way. */
    int (*act_all)(const struct cli *cli, reeve *r, const char *queue, uint64_t *count);
};

/* A whole command: reads argv, does it, prints how many. Jobs that others have moved on meanwhile
 * are left alone. */
int failed_change(struct cli *cli, int argc, char **argv, const struct failed_verb *verb);

#define FAILED_MATCHES_ABOUT "those whose error's message or code contains S"

#endif
