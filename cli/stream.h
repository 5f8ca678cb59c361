/* What the commands about streams share. */
#ifndef CLI_STREAM_H
#define CLI_STREAM_H

#include <reeve.h>

#include "args.h"
#include "json.h"

json_t *stream_json(const struct reeve_stream *stream);

/* What a command does to one stream. 0 or a REEVE_E*. */
typedef int stream_deed_fn(reeve *r, const char *group, unsigned flags, const char *name);
/* A whole command `GROUP NAME [--compat]`: does it and says `GROUP/NAME word`. */
int stream_do(struct cli *cli, int argc, char **argv, stream_deed_fn *deed, const char *word);
/* The option --compat. */
struct arg stream_compat(bool *to);
void stream_say(const struct cli *cli, const char *group, const char *name, const char *word);

#endif
