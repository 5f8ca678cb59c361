/* The counts of a queue, as JSON and as a row, and what several commands do with queues. */
#ifndef CLI_QUEUE_H
#define CLI_QUEUE_H

#include <jansson.h>
#include <reeve.h>

#include "cmd.h"
#include "table.h"

json_t *queue_json(const struct reeve_queue *queue); /* NULL when out of memory */
extern const char *const queue_heads[];              /* of a table, for queue_row() */
void queue_row(struct table *table, const struct reeve_queue *queue);

/* Of reeve_on_full, as choices of an option, each in its place. */
#define QUEUE_ON_FULL "refuse|drop-oldest"
const char *queue_on_full(const struct reeve_queue *queue); /* one of them */
void queue_print_settings(const struct reeve_queue *queue); /* a line */

/* Pauses or resumes the queue that the one operand names. */
int queue_pause(struct cli *cli, int argc, char **argv, bool paused);

#endif
