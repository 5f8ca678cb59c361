/* The life of a worker while memory runs out. */
#ifndef NOMEM_WORKER_H
#define NOMEM_WORKER_H

#include <stdbool.h>

/* Opens, starts and ends a worker on a fresh world, in which the nth request for memory fails, or
 * all from there. No job is lost, none is finished twice, and what the worker did not do another
 * does when there is memory again. False: no request failed. */
bool worker_try(const char *scheme, const char *folder, long nth, bool for_ever, bool programs);

#endif
