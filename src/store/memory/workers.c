/* The register of workers: for people; no decision hangs on it. */
#include "store/memory/memory.h"

#include <stdlib.h>
#include <string.h>

struct worker {
    struct rv_list link;
    struct rv_worker_row row;
    int64_t gone_at; /* boot_ms */
};

static void drop(struct worker *worker) {
    rv_list_remove(&worker->link);
    free(worker);
}

void rv_mem_worker_clear(struct memory *memory) {
    while (!rv_list_empty(&memory->workers))
        drop(rv_container_of(memory->workers.next, struct worker, link));
}

/* Drops those not heard of in time, so that the list stays as long as there are workers. */
static size_t expire(struct memory *memory) {
    size_t left = 0;
    for (struct rv_list *link = memory->workers.next, *next; link != &memory->workers;
         link = next) {
        next = link->next;
        struct worker *worker = rv_container_of(link, struct worker, link);
        if (worker->gone_at <= memory->now.boot_ms)
            drop(worker);
        else
            left++;
    }
    return left;
}

static struct worker *find(struct memory *memory, const char *id) {
    for (struct rv_list *link = memory->workers.next; link != &memory->workers; link = link->next) {
        struct worker *worker = rv_container_of(link, struct worker, link);
        if (strcmp(worker->row.id, id) == 0) return worker;
    }
    return NULL;
}

static struct worker *make(struct memory *memory) {
    struct worker *worker = calloc(1, sizeof *worker);
    if (worker) rv_list_add_tail(&memory->workers, &worker->link);
    return worker;
}

int rv_mem_beat(struct rv_store *s, const struct rv_worker_row *row, int64_t ttl_ms,
                struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    (void)expire(memory);
    struct worker *worker = find(memory, row->id);
    if (!worker) worker = make(memory);
    if (!worker) return rv_mem_leave(memory, rv_fail(err, REEVE_ENOMEM, "register a worker"));
    worker->row = *row;
    worker->row.seen_at_ms = memory->now.wall_ms;
    worker->gone_at = rv_time_add(memory->now.boot_ms, ttl_ms);
    return rv_mem_leave(memory, 0);
}

int rv_mem_leave_worker(struct rv_store *s, const char *worker_id, struct rv_error *err) {
    (void)err;
    struct memory *memory = rv_mem_enter(s);
    struct worker *worker = find(memory, worker_id);
    if (worker) drop(worker);
    return rv_mem_leave(memory, 0);
}

int rv_mem_workers(struct rv_store *s, struct rv_workers *out, struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    size_t count = expire(memory);
    out->rows = calloc(count + 1, sizeof *out->rows);
    if (!out->rows) return rv_mem_leave(memory, rv_fail(err, REEVE_ENOMEM, "list the workers"));
    for (struct rv_list *link = memory->workers.next; link != &memory->workers; link = link->next)
        out->rows[out->count++] = rv_container_of(link, struct worker, link)->row;
    return rv_mem_leave(memory, 0);
}
