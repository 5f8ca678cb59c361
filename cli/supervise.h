/* Shifts of a worker under the eyes of signals and the service manager. */
#ifndef CLI_SUPERVISE_H
#define CLI_SUPERVISE_H

#include "shift.h"

/* Works until told to end, or until the worker ends by itself. Takes first over; argv is what it
 * was made of, to be read again on HUP. Returns an exit code. */
int supervise(const struct cli *cli, int argc, char *const *argv, struct shift *first);

#endif
