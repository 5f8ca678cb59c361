/* Removing many jobs of a queue in one call, and how far that has come. */
#ifndef CLI_PURGE_H
#define CLI_PURGE_H

#include "cmd.h"

/* As reeve_queue_purge(); a bar is shown on a terminal meanwhile. */
int purge(const struct cli *cli, reeve *r, const char *queue, enum reeve_state state,
          uint64_t *removed);
/* Says by which commands all of a queue goes that does not run. */
void purge_hint(const struct cli *cli, reeve *r, const char *queue);

#endif
