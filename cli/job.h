/* The record of a job, as JSON and as text, and what several commands do with one. */
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include <jansson.h>
#include <reeve.h>

#include "args.h"
#include "values.h"

/* The states as choices of an option, each in the place of its enum reeve_state. */
#define JOB_STATES "delayed|ready|running|done|failed|cancelled"

json_t *job_json(const struct reeve_job *job); /* all fields; NULL when out of memory */
int job_print(const struct reeve_job *job);    /* for people; an exit code */

void job_name_print(const char *queue, const char *id); /* QUEUE/ID on stdout, escaped */

/* How a waited-for job ended: its result on stdout if it is done, else why not on stderr and
 * EXIT_NO. */
int job_print_end(const struct cli *cli, const struct reeve_job *job);

/* "QUEUE/ID word", or {"queue", "id", "state"}; state 0 is null. Returns an exit code. */
int job_print_state(const struct cli *cli, const struct address *job, enum reeve_state state,
                    const char *word);

/* Waits for the end of a job and tells it so, or says that time is over. */
int job_wait(const struct cli *cli, reeve *r, const char *queue, const char *id,
             int64_t timeout_ms);

/* The QUEUE/ID that an operand names; false: it has been said what is wrong. */
bool job_address(const char *text, struct address *out, int *exit_code);

/* Opens the store and has act() done with the job that the one operand names, then closes it. */
int job_with(struct cli *cli, int argc, char **argv,
             int (*act)(const struct cli *cli, reeve *r, const struct address *job));

#endif
