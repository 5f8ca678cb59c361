#include "nomem/worker.h"

#include <stdlib.h>
#include <string.h>

#include "harness/check.h"
#include "harness/eventually.h"
#include "nomem/alloc.h"
#include "nomem/world.h"

enum {
    LEASE_MS = 200,
    LIFE_MS = 20,       /* of a worker that will never get memory */
    GIVE_UP_MS = 200,   /* after so long its end no longer waits for the store */
    RECOVER_MS = 20000, /* of one that was refused once: far more than it needs */
};

static enum reeve_verdict handle(void *arg, reeve_task *task) {
    (void)arg;
    (void)reeve_task_set_result(task, "result", 6);
    return REEVE_SUCCEED;
}

/* Up to and with start; what failed is undone. */
static int start(struct world *world, bool programs, reeve_worker **out) {
    static const char *const queues[] = {QUEUE, NULL};
    static const char *const argv[] = {"true", NULL};
    struct reeve_worker_options options = {.size = sizeof options,
                                           .queues = queues,
                                           .threads = 2,
                                           .lease_ms = LEASE_MS,
                                           .grace_ms = 1};
    int rc = reeve_worker_open(out, world->r, &options);
    if (!rc)
        rc = programs ? reeve_worker_exec(*out, NULL, argv)
                      : reeve_worker_handle(*out, NULL, handle, NULL);
    if (!rc) rc = reeve_worker_start(*out);
    if (!rc) return 0;
    reeve_worker_close(*out);
    *out = NULL;
    return rc;
}

static bool is_done(reeve *r, const char *id) {
    struct reeve_job *job = NULL;
    bool done = !reeve_get(r, QUEUE, id, &job) && job->state == REEVE_DONE;
    reeve_free(job);
    return done;
}

static bool are_done(void *arg) {
    struct world *world = arg;
    return is_done(world->r, "ready1") && is_done(world->r, "ready2");
}

static bool never(void *arg) {
    (void)arg;
    return false;
}

/* Both jobs were finished, once each: beside the three of the world itself. */
static void check_finished(struct world *world) {
    struct reeve_queue *queue;
    CHECK_OK(reeve_queue_read(world->r, QUEUE, &queue));
    CHECK_INT(queue->finished_total, 3 + 2);
    CHECK_INT(queue->running, 1); /* the world's own task */
    reeve_free(queue);
}

bool worker_try(const char *scheme, const char *folder, long nth, bool for_ever, bool programs) {
    struct world world;
    world_open(&world, scheme, folder, for_ever ? GIVE_UP_MS : 0);
    reeve_worker *worker = NULL;
    alloc_fail(nth, for_ever);
    int rc = start(&world, programs, &worker);
    if (rc) CHECK_INT(rc, REEVE_ENOMEM);
    /* Refused once, it gets over that by itself; refused for ever, it must at least end. */
    if (!rc && for_ever) (void)eventually(never, NULL, LIFE_MS);
    if (!rc && !for_ever) CHECK(eventually(are_done, &world, RECOVER_MS));
    reeve_worker_close(worker);
    bool failed = alloc_relent() > 0;
    if (!are_done(&world)) {
        CHECK_OK(start(&world, programs, &worker));
        CHECK(eventually(are_done, &world, RECOVER_MS));
        reeve_worker_close(worker);
    }
    check_finished(&world);
    world_close(&world);
    return failed;
}
