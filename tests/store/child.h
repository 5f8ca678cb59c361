/* A second process on the same store, for stores that can be shared: this program, run as
 * check-store --child URL SPACE VERB [COUNT]. */
#ifndef STORE_CHILD_H
#define STORE_CHILD_H

#include <sys/types.h>

struct fixture;

/* Starts one that does verb on the queue "jobs":
 *   push    COUNT jobs "PID-0", "PID-1", ...
 *   work    claims and finishes jobs, until COUNT have come to their end
 *   crash   claims one job and kills itself with it in hand */
pid_t child_start(struct fixture *f, const char *verb, int count);
/* Waits for its end: its exit status, or minus the signal that ended it. */
int child_wait(pid_t pid);

/* The other side: what main() does when it is such a child. */
int child_main(char **arguments);

#endif
