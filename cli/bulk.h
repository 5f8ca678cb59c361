/* push --bulk: JSON Lines in, batches out. */
#ifndef CLI_BULK_H
#define CLI_BULK_H

#include "cmd.h"

/* Pushes each line of fd with defaults for what it does not say. Returns an exit code. */
int bulk_push(const struct cli *cli, reeve *r, int fd, const struct reeve_push *defaults,
              bool id_from_body);

#endif
