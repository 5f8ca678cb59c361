/* What a queue is owed because a part of its store did not answer when the rest did: tasks whose
 * outcomes could not be handed in there, and what is left of a request that was sent there. Both
 * are tried again after a while, and hold up nothing else. */
#ifndef RV_WORK_ARREARS_H
#define RV_WORK_ARREARS_H

#include "work/request.h"

struct rv_arrears {
    struct rv_list tasks;      /* they never reached the store: any request may take them */
    struct rv_request request; /* to be repeated as it stands (J7) */
    int64_t again_at_ms;       /* CLOCK_BOOTTIME */
    int64_t since_ms;          /* likewise: since when there are any; 0: there are none */
    int failures;              /* in a row */
};

void rv_arrears_init(struct rv_arrears *arrears);
void rv_arrears_release(struct rv_arrears *arrears); /* its tasks are the caller's */

bool rv_arrears_any(const struct rv_arrears *arrears);
/* Is there something left of a request? */
bool rv_arrears_open(const struct rv_arrears *arrears);

void rv_arrears_add(struct rv_arrears *arrears, struct reeve_task *task);
struct reeve_task *rv_arrears_take(struct rv_arrears *arrears); /* NULL: none */
/* Takes over what is left of request, of which there is nothing here yet; request is empty then. */
void rv_arrears_keep(struct rv_arrears *arrears, struct rv_request *request);

/* After an exchange: puts off what is owed, unless it is, and tells of it when that begins and when
 * nothing is owed any more. */
void rv_arrears_note(struct rv_arrears *arrears, const struct rv_service *service,
                     const char *queue);

#endif
