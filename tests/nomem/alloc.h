/* An allocator that runs out: of everything that the library, linked statically, and SQLite ask
 * for. */
#ifndef NOMEM_ALLOC_H
#define NOMEM_ALLOC_H

#include <stdbool.h>

/* Before the first use of SQLite. */
void alloc_prepare(void);
/* From now on the nth request (1 is the next) fails, and with for_ever all after it. Requests for a
 * thread count as well. */
void alloc_fail(long nth, bool for_ever);
/* No more of that. Returns how many requests failed. */
long alloc_relent(void);

#endif
