/* Pushing: checks each job, gives it an id and a nonce of its request, sends by queue and batch. */
#include <stdlib.h>
#include <string.h>

#include "api/errmsg.h"
#include "api/single.h"
#include "core/limits.h"
#include "core/nonce.h"
#include "core/step.h"
#include "store/spool.h"

enum {
    WINDOW = 4 * RV_PUSH_MAX, /* jobs looked at together: bounds the memory of a huge call */
    RANDOMS = 3,              /* that complete() draws for a job */
};

/* Jobs of one window in the order they go to the store: by queue, then as they came. */
struct window {
    size_t count;
    size_t places[WINDOW]; /* in the caller's arrays */
    struct rv_new_job jobs[WINDOW];
    struct rv_pushed outs[WINDOW];
    char ids[WINDOW][RV_GENERATED_ID_SIZE];
};

/* The caller's arrays, walked by the size of the first element, and what is to be told of them. */
struct call {
    struct reeve *r;
    const char *pushes;
    size_t push_size, count;
    char *outs; /* NULL: nobody asks */
    size_t out_size;
    size_t first; /* the place of the first error */
    struct rv_error err;
};

static const struct reeve_push *push_at(const struct call *call, size_t place) {
    return (const void *)(call->pushes + place * call->push_size);
}

/* Fills as much of *out as its size has room for; what is unknown here stays as it is. */
static void fill_pushed(void *out, size_t size, const struct rv_new_job *job,
                        const struct rv_pushed *from) {
    struct reeve_pushed pushed = {
        .size = size,
        .status = from->status,
        .state = from->state,
        .error = from->error,
        .done = from->done,
    };
    if (job) pushed.request = job->nonce;
    if (job) memcpy(pushed.id, job->id, strlen(job->id) + 1); /* checked: it fits */
    memcpy(out, &pushed, size < sizeof pushed ? size : sizeof pushed);
}

/* job: NULL if it was not right. */
static void answer(struct call *call, size_t place, const struct rv_new_job *job,
                   struct rv_pushed *from, const struct rv_error *err) {
    if (from->error && place < call->first) {
        call->first = place;
        call->err = *err;
    }
    if (call->outs)
        fill_pushed(call->outs + place * call->out_size, call->out_size, job, from);
    else
        free(from->done);
}

static void refuse(struct call *call, size_t place, const struct rv_error *err) {
    struct rv_pushed refused = {.error = err->code};
    answer(call, place, NULL, &refused, err);
}

/* What the store needs and the caller did not give. id has room for a generated one. */
static void complete(struct reeve *r, struct rv_new_job *job, const struct rv_random *random,
                     char id[RV_GENERATED_ID_SIZE]) {
    if (!job->nonce) job->nonce = rv_nonce_draw(random);
    if (job->id) return;
    rv_id_generate(id, rv_clock_wall_us(&r->service.clock), random);
    job->id = id;
}

/* Takes in the jobs of places from..to-1; those that are not right are answered here. */
static int window_fill(struct window *window, struct call *call, size_t from, size_t to) {
    struct rv_push_place *order = malloc((to - from) * sizeof *order);
    struct rv_random_block block;
    struct rv_random random = rv_random_block_init(&block, RV_RANDOM_BLOCK);
    struct rv_new_job job;
    if (!order) return REEVE_ENOMEM;
    window->count = 0;
    for (size_t place = from; place < to; place++) {
        struct rv_error err = {0};
        if (rv_check_push(push_at(call, place), &job, &err))
            refuse(call, place, &err);
        else
            order[window->count++] = (struct rv_push_place){job.queue, place};
    }
    rv_step_sort(order, window->count);
    for (size_t i = 0; i < window->count; i++) {
        window->places[i] = order[i].place;
        (void)rv_check_push(push_at(call, order[i].place), &window->jobs[i], NULL);
        complete(call->r, &window->jobs[i], &random, window->ids[i]);
    }
    free(order);
    return 0;
}

/* What was kept is to be forwarded. Without memory for that, others do it, and pushes are not held
 * up behind it. */
static void mind_spooled(struct reeve *r, const struct rv_pushed *outs, size_t count) {
    bool spooled = false;
    for (size_t i = 0; i < count; i++)
        spooled = spooled || outs[i].status == REEVE_SPOOLED;
    if (spooled && rv_service_forward(&r->service, NULL)) rv_spool_emptied(r->service.spool);
}

/* Why the store would not have this one, though it had others. */
static int say_refused(const char *queue, int error, struct rv_error *err) {
    if (error == REEVE_EFULL) return rv_fail(err, error, "queue %s is full", queue);
    return rv_fail(err, error, "queue %s: %s", queue, reeve_strerror(error));
}

/* What was pushed is to be seen to, and what was spooled. */
static void mind(struct reeve *r, const struct rv_pushed *outs, size_t count) {
    rv_service_mind(&r->service);
    mind_spooled(r, outs, count);
}

static void window_send(struct window *window, struct call *call) {
    struct rv_push_step most = rv_store_push_step(call->r->service.store);
    for (size_t from = 0, count; from < window->count; from += count) {
        struct rv_error err = {0};
        struct rv_new_job *jobs = window->jobs + from;
        struct rv_pushed *outs = window->outs + from;
        count = rv_step_size(jobs, window->count - from, most);
        int rc = rv_gather_push(&call->r->gather, jobs->queue, jobs, count, outs, &err);
        mind(call->r, outs, count);
        for (size_t i = 0; i < count; i++) {
            if (rc)
                outs[i] = (struct rv_pushed){.error = rc};
            else if (outs[i].error)
                (void)say_refused(jobs->queue, outs[i].error, &err);
            answer(call, window->places[from + i], &jobs[i], &outs[i], &err);
        }
    }
}

/* What the structs of version 0.1 had: every caller provides that much. */
#define SIZE_UP_TO(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))
enum {
    PUSH_SIZE_LEAST = SIZE_UP_TO(struct reeve_push, keep_ms),
    PUSHED_SIZE_LEAST = SIZE_UP_TO(struct reeve_pushed, done),
};

static int check_outs(const struct reeve_pushed *outs, size_t *size, struct rv_error *err) {
    *size = outs ? outs->size : 0;
    return outs ? rv_check_size("reeve_pushed", *size, PUSHED_SIZE_LEAST, err) : 0;
}

/* ---- one ---- */
int rv_single_begin(struct rv_single *single, struct reeve *r, const struct reeve_push *push,
                    const struct reeve_pushed *out, uint64_t nonce, struct rv_error *err) {
    struct rv_random_block block;
    int rc = check_outs(out, &single->out_size, err);
    if (!rc) rc = rv_check_push(push, &single->job, err);
    if (rc) return rc;
    struct rv_random random = rv_random_pool_draw(&r->random, &block, RANDOMS);
    if (nonce) single->job.nonce = nonce;
    single->pushed = (struct rv_pushed){0};
    complete(r, &single->job, &random, single->id);
    return 0;
}

int rv_single_end(struct rv_single *single, struct reeve *r, int rc, struct reeve_pushed *out,
                  struct rv_error *err) {
    struct rv_pushed *pushed = &single->pushed;
    mind(r, pushed, 1);
    if (!rc && pushed->error) rc = say_refused(single->job.queue, pushed->error, err);
    if (rc == REEVE_EUNSURE) *pushed = (struct rv_pushed){.error = rc}; /* the id is to be told */
    if (rc && rc != REEVE_EUNSURE) return rc;
    if (out)
        fill_pushed(out, single->out_size, &single->job, pushed);
    else
        free(pushed->done);
    return rc;
}

int reeve_push(reeve *r, const struct reeve_push *push, struct reeve_pushed *out) {
    struct rv_error err;
    struct rv_single single;
    rv_error_clear(&err);
    int rc = rv_single_begin(&single, r, push, out, 0, &err);
    if (rc) return rv_api_fail(&err);
    rc = rv_gather_push(&r->gather, single.job.queue, &single.job, 1, &single.pushed, &err);
    return rv_api_result(rv_single_end(&single, r, rc, out, &err), &err);
}

/* ---- many ---- */
int reeve_push_many(reeve *r, const struct reeve_push *pushes, size_t count,
                    struct reeve_pushed *outs) {
    struct call call = {.r = r, .count = count, .first = SIZE_MAX};
    if (!count) return 0;
    int rc = check_outs(outs, &call.out_size, &call.err);
    if (!rc) rc = rv_check_size("reeve_push", pushes->size, PUSH_SIZE_LEAST, &call.err);
    if (rc) return rv_api_fail(&call.err);
    call.pushes = (const void *)pushes;
    call.push_size = pushes->size;
    call.outs = (void *)outs;

    struct window *window = malloc(sizeof *window);
    for (size_t from = 0, to; from < count; from = to) {
        struct rv_error none = {0};
        to = count - from < WINDOW ? count : from + WINDOW;
        if (window && !window_fill(window, &call, from, to)) {
            window_send(window, &call);
            continue;
        }
        (void)rv_fail(&none, REEVE_ENOMEM, "out of memory");
        for (size_t place = from; place < to; place++)
            refuse(&call, place, &none);
    }
    free(window);
    return call.first == SIZE_MAX ? 0 : rv_api_fail(&call.err);
}
