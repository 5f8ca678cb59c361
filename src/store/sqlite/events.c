/* Events: rows per queue, written only while somebody watches. */
#include <stdlib.h>

#include "core/arena.h"
#include "store/sqlite/step.h"

int rv_sq_event_add(struct rv_sq_step *step, const struct rv_sq_event *event,
                    struct rv_error *err) {
    if (step->queue.watched_until_ms <= step->now_ms) return 0;
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_EVENT_ADD);
    rv_sq_bind_int(&query, step->queue.n);
    rv_sq_bind_int(&query, ++step->queue.event);
    rv_sq_bind_int(&query, event->type);
    rv_sq_bind_int(&query, event->state);
    rv_sq_bind_int(&query, step->now_ms);
    rv_sq_bind_text(&query, event->id);
    rv_sq_bind_text(&query, event->worker); /* NULL is bound as such */
    rv_sq_bind_u64(&query, event->token);
    step->rings = true;
    return rv_sq_run(&query, NULL, err);
}

/* ---- announce ---- */
static int announce(struct rv_sq_step *step, const char *queue, const struct rv_announcement *news,
                    struct rv_error *err) {
    struct rv_sq_event event = {.type = news->type,
                                .state = (enum reeve_state)news->why,
                                .id = news->id,
                                .worker = news->worker,
                                .token = news->token};
    int rc = rv_sq_queue_load(step, queue, err);
    return rc ? rc : rv_sq_event_add(step, &event, err);
}

int rv_sq_announce(struct rv_store *s, const char *queue, const struct rv_announcement *news,
                   int64_t timeout_ms, struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_read(&step, s, err);
    if (rc) return rc;
    rc = rv_sq_step_end(&step, rv_sq_queue_load(&step, queue, err), err);
    bool watched = step.queue.watched_until_ms > step.now_ms;
    if (rc || !watched) return rc; /* so nothing is to be written */
    rc = rv_sq_step_write(&step, s, timeout_ms, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, announce(&step, queue, news, err), err);
}

/* ---- events ---- */
static struct rv_sq_query ask(struct rv_sq_step *step, uint64_t after) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_EVENTS);
    rv_sq_bind_int(&query, step->queue.n);
    rv_sq_bind_u64(&query, after);
    rv_sq_bind_int(&query, RV_EVENTS_MAX);
    return query;
}

/* Lays the texts of the rows out behind the array; events: NULL while measuring. */
static void lay_out(struct rv_sq_step *step, struct rv_sq_query *query, struct rv_arena *arena,
                    struct reeve_event *events, struct rv_events *out) {
    const char *queue = rv_arena_text(arena, step->queue_name);
    out->count = 0;
    while (rv_sq_row(query)) {
        struct reeve_event event = {
            .type = (enum reeve_event_type)rv_sq_int(query, 1),
            .state = (enum reeve_state)rv_sq_int(query, 2),
            .at_ms = rv_sq_int(query, 3),
            .queue = queue,
            .id = rv_arena_text(arena, rv_sq_text(query, 4)),
            .worker = rv_arena_text(arena, rv_sq_text(query, 5)),
            .token = rv_sq_u64(query, 6),
        };
        if (events) events[out->count] = event;
        out->after = rv_sq_u64(query, 0);
        out->count++;
    }
}

/* Reads the rows twice, in one transaction: to measure the block, then to fill it. */
static int gather(struct rv_sq_step *step, uint64_t after, struct rv_events *out,
                  struct rv_error *err) {
    struct rv_arena arena = {0};
    struct rv_sq_query query = ask(step, after);
    (void)rv_arena_room(&arena, RV_EVENTS_MAX * sizeof *out->events);
    lay_out(step, &query, &arena, NULL, out);
    int rc = rv_sq_end(&query, 0, err);
    if (rc || !out->count) return rc;
    arena = (struct rv_arena){.block = malloc(arena.used)};
    if (!arena.block) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    query = ask(step, after);
    out->events = rv_arena_room(&arena, RV_EVENTS_MAX * sizeof *out->events);
    lay_out(step, &query, &arena, out->events, out);
    return rv_sq_end(&query, 0, err);
}

static int read_events(struct rv_sq_step *step, uint64_t after, struct rv_events *out,
                       struct rv_error *err) {
    uint64_t latest = (uint64_t)step->queue.event;
    out->after = latest;
    return after < latest ? gather(step, after, out, err) : 0;
}

/* *watched: there is no need to write yet that somebody watches. */
static int look(struct rv_sq_step *step, const char *queue, uint64_t after, bool *watched,
                struct rv_events *out, struct rv_error *err) {
    int rc = rv_sq_queue_load(step, queue, err);
    *watched = step->queue.watched_until_ms - step->now_ms > RV_WATCHED_MS / 2;
    return rc || !*watched ? rc : read_events(step, after, out, err);
}

static int watch(struct rv_sq_step *step, const char *queue, uint64_t after, struct rv_events *out,
                 struct rv_error *err) {
    int rc = rv_sq_queue_make(step, queue, err);
    if (rc) return rc;
    step->queue.watched_until_ms = rv_time_add(step->now_ms, RV_WATCHED_MS);
    return read_events(step, after, out, err);
}

int rv_sq_events(struct rv_store *s, const char *queue, uint64_t after, struct rv_events *out,
                 struct rv_error *err) {
    struct rv_sq_step step;
    bool watched;
    int rc = rv_sq_step_read(&step, s, err);
    if (rc) return rc;
    rc = rv_sq_step_end(&step, look(&step, queue, after, &watched, out, err), err);
    if (rc || watched) return rc;
    rc = rv_sq_step_write(&step, s, ((struct rv_sq *)s)->timeout_ms, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, watch(&step, queue, after, out, err), err);
}
