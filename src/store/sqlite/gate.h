/* The writers of this process take turns here, so that threads wait for one another by being woken
 * and only processes meet at the file's lock. */
#ifndef RV_STORE_SQLITE_GATE_H
#define RV_STORE_SQLITE_GATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct rv_sq_gate {
    pthread_mutex_t lock; /* guards taken */
    pthread_cond_t freed;
    bool taken;
    int crowd; /* how often the file's lock had to be asked for the last time; for who is inside */
};

int rv_sq_gate_init(struct rv_sq_gate *gate); /* 0 or REEVE_ENOMEM */
void rv_sq_gate_release(struct rv_sq_gate *gate);
bool rv_sq_gate_enter(struct rv_sq_gate *gate, int64_t deadline_ms); /* false: time is up */
void rv_sq_gate_leave(struct rv_sq_gate *gate);

#endif
