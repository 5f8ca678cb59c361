#include "nomem/world.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/check.h"

enum { LEASE_MS = 60000, HOUR_MS = 3600000 };

static void discard(void *arg, enum reeve_log_level level, const char *line) {
    (void)arg;
    (void)level;
    (void)line;
}

struct reeve_options world_options(void) {
    return (struct reeve_options){
        .size = sizeof(struct reeve_options), .log = discard, .name = "nomem"};
}

static reeve *open_url(const char *url, int64_t timeout_ms) {
    struct reeve_options options = world_options();
    options.timeout_ms = timeout_ms;
    reeve *r;
    CHECK_OK(reeve_open(&r, url, &options));
    return r;
}

/* ---- jobs in every state ---- */
/* Retries come at once, except of what is held: there they are to be seen. */
static void push(reeve *r, const char *id, int64_t delay_ms) {
    struct reeve_push job = {.size = sizeof job,
                             .queue = QUEUE,
                             .id = id,
                             .body = id,
                             .body_size = strlen(id),
                             .backoff_ms = strcmp(id, "held") ? REEVE_NONE : HOUR_MS,
                             .delay_ms = delay_ms};
    CHECK_OK(reeve_push(r, &job, NULL));
}

static reeve_task *claim(reeve *r, const char *id) {
    static const char *const queues[] = {QUEUE, NULL};
    reeve_task *task;
    CHECK_OK(reeve_claim(r, queues, LEASE_MS, 0, &task));
    CHECK_STR(reeve_task_job(task)->id, id);
    return task;
}

static void populate(reeve *r) {
    push(r, "done", 0);
    reeve_task *task = claim(r, "done");
    CHECK_OK(reeve_task_set_result(task, "result", 6));
    CHECK_OK(reeve_finish(task, REEVE_SUCCEED));
    push(r, "failed", 0);
    task = claim(r, "failed");
    CHECK_OK(reeve_task_set_error(task, "code", "message", "detail", 6));
    CHECK_OK(reeve_finish(task, REEVE_GIVE_UP));
    push(r, "cancelled", 0);
    CHECK_OK(reeve_cancel(r, QUEUE, "cancelled", NULL));
    push(r, "held", 0);
    push(r, "ready1", 0);
    push(r, "ready2", 0);
    push(r, "delayed", HOUR_MS);
}

/* ---- files ---- */
static void copy_file(const char *from, const char *to) {
    char bytes[1 << 16];
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    CHECK(in >= 0 && out >= 0);
    ssize_t size;
    while ((size = read(in, bytes, sizeof bytes)) > 0)
        CHECK(write(out, bytes, (size_t)size) == size);
    CHECK(size == 0);
    (void)close(in);
    (void)close(out);
}

static void remove_file(const char *path) {
    char side[280];
    (void)unlink(path);
    (void)snprintf(side, sizeof side, "%s-wal", path);
    (void)unlink(side);
    (void)snprintf(side, sizeof side, "%s-shm", path);
    (void)unlink(side);
}

static void make_template(const char *path) {
    if (!access(path, F_OK)) return;
    char url[320];
    (void)snprintf(url, sizeof url, "sqlite:%s", path);
    reeve *r = open_url(url, 0);
    populate(r);
    reeve_close(r); /* the last one to close leaves one whole file */
}

/* ---- the world ---- */
void world_open(struct world *world, const char *scheme, const char *folder, int64_t timeout_ms) {
    static unsigned worlds;
    *world = (struct world){.scheme = scheme};
    if (strcmp(scheme, "memory") == 0) {
        (void)snprintf(world->url, sizeof world->url, "memory:");
        world->r = open_url(world->url, timeout_ms);
        populate(world->r);
    } else {
        char model[256];
        (void)snprintf(model, sizeof model, "%s/model.db", folder);
        /* A new name each time: a test that failed has left its files. */
        (void)snprintf(world->path, sizeof world->path, "%s/world%u.db", folder, ++worlds);
        (void)snprintf(world->url, sizeof world->url, "sqlite:%s?synchronous=off", world->path);
        make_template(model);
        copy_file(model, world->path);
        world->r = open_url(world->url, timeout_ms);
    }
    world->task = claim(world->r, "held");
}

void world_close(struct world *world) {
    reeve_task_drop(world->task);
    reeve_close(world->r);
    if (*world->path) remove_file(world->path);
}

/* ---- looking ---- */
enum { JOBS_MAX = 16, LINE_SIZE = 256 };

struct view { /* of all jobs, in the order of their ids */
    char lines[JOBS_MAX][LINE_SIZE];
    size_t count;
};

static int tell_job(void *arg, const struct reeve_job *job) {
    struct view *view = arg;
    CHECK(view->count < JOBS_MAX);
    (void)snprintf(view->lines[view->count++], LINE_SIZE,
                   "%s %s%s attempt=%d body=%zu result=%zu error=%s history=%zu\n", job->id,
                   reeve_state_name(job->state), job->cancelling ? " (cancelling)" : "",
                   job->attempt, job->body_size, job->result_size,
                   job->error ? job->error->code : "-", job->history_count);
    return 0;
}

static int tell_queue(void *arg, const struct reeve_queue *q) {
    (void)fprintf(arg, "%s%s waiting=%d running=%d ended=%d", q->name, q->paused ? " paused" : "",
                  (int)(q->delayed + q->ready), (int)q->running,
                  (int)(q->done + q->failed + q->cancelled));
    (void)fprintf(arg, " pushed=%d finished=%d retried=%d lapsed=%d max=%d dropped=%d trimmed=%d\n",
                  (int)q->pushed_total, (int)q->finished_total, (int)q->retried_total,
                  (int)q->lapsed_total, (int)q->max_length, (int)q->dropped_total,
                  (int)q->trimmed_total);
    return 0;
}

static int compare_lines(const void *a, const void *b) {
    return strcmp(a, b);
}

char *world_look(struct world *world) {
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    CHECK(to);
    reeve *observer = *world->path ? open_url(world->url, 0) : world->r;
    struct reeve_filter all = {.size = sizeof all, .limit = 1000};
    struct view view = {0};
    CHECK_OK(reeve_list(observer, &all, tell_job, &view, NULL));
    qsort(view.lines, view.count, LINE_SIZE, compare_lines);
    for (size_t i = 0; i < view.count; i++)
        (void)fputs(view.lines[i], to);
    CHECK_OK(reeve_queue_list(observer, tell_queue, to));
    if (observer != world->r) reeve_close(observer);
    (void)fclose(to);
    return text;
}
