#include "service/callers.h"

#include <stdlib.h>
#include <string.h>

const char large[LARGE] = {'l'};

/* ---- alone or not ---- */
void be_in_company(struct scene *s) {
    (void)rv_awaits_come(&s->r->service.awaits);
}

int callers_set_up(void **state) {
    int rc = scene_set_up(state);
    if (!rc && getenv("IN_COMPANY")) be_in_company(*state);
    return rc;
}

/* ---- the handler ---- */
static bool wants(const struct reeve_job *job, const char *word) {
    return job->body_size == strlen(word) && !memcmp(job->body, word, job->body_size);
}

static enum reeve_verdict give(reeve_task *task, const void *data, size_t size) {
    return reeve_task_set_result(task, data, size) ? REEVE_GIVE_UP : REEVE_SUCCEED;
}

enum reeve_verdict answer(void *count, reeve_task *task) {
    const struct reeve_job *job = reeve_task_job(task);
    if (count) atomic_fetch_add((atomic_int *)count, 1);
    if (!job->body_size) return give(task, "", 0);
    if (wants(job, "none")) return REEVE_SUCCEED;
    if (wants(job, "again") && job->attempt < 3) return REEVE_RETRY;
    if (wants(job, "large")) return give(task, large, sizeof large);
    if (!wants(job, "fail")) return give(task, job->body, job->body_size);
    (void)reeve_task_set_error(task, "broken", "as was wanted", NULL, 0);
    return REEVE_GIVE_UP;
}

/* ---- calls ---- */
struct reeve_push job_of(const char *id, const char *body) {
    return (struct reeve_push){.size = sizeof(struct reeve_push),
                               .queue = "q",
                               .id = id,
                               .body = body,
                               .body_size = strlen(body),
                               .attempts_max = 1};
}

struct reeve_job *call(struct scene *s, struct reeve_push push) {
    struct reeve_pushed out = {.size = sizeof out};
    struct reeve_job *job = NULL;
    CHECK_OK(reeve_push_wait(s->r, &push, SOON_MS, &out, &job));
    CHECK(job);
    CHECK_INT(out.status, REEVE_QUEUED);
    CHECK_STR(out.id, job->id);
    return job;
}

static void *make_call(void *arg) {
    struct caller *c = arg;
    c->rc = reeve_push_wait(c->s->r, &c->push, c->timeout_ms, &c->out, &c->job);
    return NULL;
}

void begin_call(struct caller *c, struct scene *s, struct reeve_push push, int64_t timeout_ms) {
    *c = (struct caller){
        .s = s, .push = push, .timeout_ms = timeout_ms, .out = {.size = sizeof c->out}};
    CHECK_INT(pthread_create(&c->thread, NULL, make_call, c), 0);
}

static bool is_known(void *arg) {
    struct caller *c = arg;
    struct reeve_job *job = NULL;
    int rc = reeve_get(c->s->r, c->push.queue, c->push.id, &job);
    reeve_free(job);
    return !rc;
}

void begin_known_call(struct caller *c, struct scene *s, struct reeve_push push) {
    begin_call(c, s, push, SOON_MS);
    CHECK(eventually(is_known, c, SOON_MS));
}

void end_call(struct caller *c) {
    CHECK_INT(pthread_join(c->thread, NULL), 0);
}

void check_end(struct caller *c, enum reeve_state state) {
    end_call(c);
    CHECK_OK(c->rc);
    CHECK(c->job);
    CHECK_STR(reeve_state_name(c->job->state), reeve_state_name(state));
    reeve_free(c->job);
}
