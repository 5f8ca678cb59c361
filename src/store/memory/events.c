/* Events: a ring per queue, written only while somebody watches. */
#include "store/memory/memory.h"

#include <stdlib.h>
#include <string.h>

static struct event **slot(const struct events *events, uint64_t number) {
    return &events->ring[number % RV_EVENTS_KEPT];
}

static void drop_first(struct events *events) {
    free(*slot(events, events->first));
    *slot(events, events->first) = NULL;
    events->first++;
}

/* One block, or NULL. */
static struct event *copy_event(const struct event *from) {
    size_t id_size = strlen(from->id) + 1,
           worker_size = from->worker ? strlen(from->worker) + 1 : 0;
    struct event *event = malloc(sizeof *event + id_size + worker_size);
    if (!event) return NULL;
    *event = *from;
    event->id = memcpy(event + 1, from->id, id_size);
    if (worker_size)
        event->worker = memcpy((char *)(event + 1) + id_size, from->worker, worker_size);
    return event;
}

static void add(struct queue *queue, const struct event *event) {
    struct events *events = &queue->events;
    if (!events->ring || events->watched_until <= queue->memory->now.boot_ms) return;
    if (events->last - events->first + 1 == RV_EVENTS_KEPT) drop_first(events);
    events->last++;
    *slot(events, events->last) = copy_event(event);
    rv_mem_ring(queue);
}

void rv_mem_event_add(struct record *record, enum reeve_event_type type) {
    struct reeve_job job = rv_mem_record_view(record, record->claim);
    add(record->queue, &(struct event){.type = type,
                                       .state = job.state,
                                       .at_ms = record->queue->memory->now.wall_ms,
                                       .token = job.token,
                                       .id = job.id,
                                       .worker = job.worker});
}

int rv_mem_announce(struct rv_store *s, const char *queue_name, const struct rv_announcement *news,
                    int64_t timeout_ms, struct rv_error *err) {
    (void)timeout_ms, (void)err;
    struct memory *memory = rv_mem_enter(s);
    struct queue *queue = rv_mem_queue_find(memory, queue_name);
    struct event event = {.type = news->type,
                          .state = (enum reeve_state)news->why,
                          .at_ms = memory->now.wall_ms,
                          .token = news->token,
                          .id = news->id,
                          .worker = news->worker};
    if (queue) add(queue, &event);
    return rv_mem_leave(memory, 0);
}

void rv_mem_event_expire(struct queue *queue) {
    struct events *events = &queue->events;
    int64_t before = queue->memory->now.wall_ms - RV_EVENT_KEPT_MS;
    while (events->ring && events->first <= events->last) {
        const struct event *first = *slot(events, events->first);
        if (first && first->at_ms > before) return;
        drop_first(events);
    }
}

void rv_mem_event_clear(struct queue *queue) {
    while (queue->events.ring && queue->events.first <= queue->events.last)
        drop_first(&queue->events);
    free(queue->events.ring);
}

/* ---- events ---- */
static int watch(struct queue *queue) {
    struct events *events = &queue->events;
    events->watched_until = rv_time_add(queue->memory->now.boot_ms, RV_WATCHED_MS);
    if (events->ring) return 0;
    events->ring = calloc(RV_EVENTS_KEPT, sizeof(*events->ring));
    events->first = 1;
    return events->ring ? 0 : REEVE_ENOMEM;
}

static size_t size_of(const struct event *event) {
    return strlen(event->id) + 1 + (event->worker ? strlen(event->worker) + 1 : 0);
}

/* Copies text to *end and moves that on. */
static const char *place(char **end, const char *text) {
    if (!text) return NULL;
    char *at = *end;
    size_t size = strlen(text) + 1;
    memcpy(at, text, size);
    *end += size;
    return at;
}

/* The events of numbers from .. to into one block. */
static int copy(const struct queue *queue, uint64_t from, uint64_t to, struct rv_events *out) {
    size_t size = strlen(queue->name) + 1;
    for (uint64_t n = from; n <= to; n++) {
        const struct event *event = *slot(&queue->events, n);
        if (event) size += sizeof *out->events + size_of(event);
    }
    size_t room = (size_t)(to - from + 1) * sizeof *out->events;
    out->events = malloc(room + size);
    if (!out->events) return REEVE_ENOMEM;
    char *end = (char *)out->events + room;
    const char *name = place(&end, queue->name);
    for (uint64_t n = from; n <= to; n++) {
        const struct event *event = *slot(&queue->events, n);
        if (!event) continue;
        out->events[out->count++] = (struct reeve_event){
            .type = event->type,
            .state = event->state,
            .at_ms = event->at_ms,
            .queue = name,
            .id = place(&end, event->id),
            .worker = place(&end, event->worker),
            .token = event->token,
        };
    }
    return 0;
}

static int gather(const struct queue *queue, uint64_t after, struct rv_events *out) {
    const struct events *events = &queue->events;
    uint64_t from = after + 1 > events->first ? after + 1 : events->first, to = events->last;
    out->after = events->last;
    if (after >= events->last || from > to) return 0;
    if (to - from >= RV_EVENTS_MAX) to = from + RV_EVENTS_MAX - 1;
    out->after = to;
    return copy(queue, from, to, out);
}

int rv_mem_events(struct rv_store *s, const char *queue_name, uint64_t after, struct rv_events *out,
                  struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    struct queue *queue = rv_mem_queue_make(memory, queue_name);
    int rc = queue ? watch(queue) : REEVE_ENOMEM;
    if (!rc) rc = gather(queue, after, out);
    if (rc) (void)rv_fail(err, rc, "read events of queue %s", queue_name);
    return rv_mem_leave(memory, rc);
}
