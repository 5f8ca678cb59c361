/* What `reeve work` was told: by its command line, and by the file that --config names. */
#ifndef CLI_WORK_OPTIONS_H
#define CLI_WORK_OPTIONS_H

#include "args.h"
#include "config.h"

struct work_options {
    struct reeve_worker_options worker; /* points into what follows */
    struct reeve_limits limits;
    int64_t grace_ms;
    bool once;
    const char *config_path; /* NULL: no file */

    struct texts kinds;   /* K=CMD */
    int in_doubt;         /* 0, or a choice */
    struct config config; /* the rest is for work_options.c */
    char **command;       /* NULL-ended, NULL if only kinds have one */
    char **file_command;  /* to be freed */
    char **queues;        /* the names, NULL-ended */
    char **file_queues;   /* to be freed */
    char *names;          /* what queues point into */
    int *weights;
    const char *config_queues, *config_command;
};

/* Reads argv, the order of which changes, and the file. false: it is over with *exit_code. On true
 * release it. */
bool work_options_parse(struct work_options *o, struct cli *cli, int argc, char **argv,
                        int *exit_code);
void work_options_release(struct work_options *o);

/* The programs that the options name, as handlers of a worker. An exit code. */
int work_options_handle(const struct work_options *o, reeve_worker *worker);

#endif
