/* Callers who push and wait in one, and a handler that answers them. */
#ifndef SERVICE_CALLERS_H
#define SERVICE_CALLERS_H

#include "service/scene.h"

enum { LARGE = 100000 };
extern const char large[LARGE];

/* A handler. The body says what is wanted: none, fail, again (until the third attempt), large; any
 * other is the result. Counts, if count (an atomic_int) is there. */
enum reeve_verdict answer(void *count, reeve_task *task);

/* $IN_COMPANY: as if somebody else pushed and waited, too, all the time. */
int callers_set_up(void **state);
#define CALLERS_TEST(test) cmocka_unit_test_setup_teardown(test, callers_set_up, scene_tear_down)
void be_in_company(struct scene *s); /* until the end */

struct reeve_push job_of(const char *id, const char *body); /* of "q", one attempt */
/* One call, whose end is DONE or whatever it comes to; the job was new. */
struct reeve_job *call(struct scene *s, struct reeve_push push);

/* One call, by a thread of its own. */
struct caller {
    struct scene *s;
    pthread_t thread;
    struct reeve_push push;
    int64_t timeout_ms;
    struct reeve_pushed out;
    struct reeve_job *job;
    int rc;
};

void begin_call(struct caller *c, struct scene *s, struct reeve_push push, int64_t timeout_ms);
/* Returns when the job is there. */
void begin_known_call(struct caller *c, struct scene *s, struct reeve_push push);
void end_call(struct caller *c);
void check_end(struct caller *c, enum reeve_state state); /* and it went well */

#endif
