/* The register of workers: for people; no decision hangs on it. */
#include "store/memory/memory.h"

#include <stdlib.h>
#include <string.h>

struct worker {
    struct rv_list link;
    struct rv_worker_row row;
    int64_t gone_at; /* boot_ms */
};

static struct worker *worker_of(struct rv_list *link) {
    return rv_container_of(link, struct worker, link);
}

static bool is_gone(const struct memory *memory, const struct worker *worker) {
    return worker->gone_at <= memory->now.boot_ms;
}

void rv_mem_worker_clear(struct memory *memory) {
    struct rv_list *link = memory->workers.next;
    while (link != &memory->workers) {
        struct worker *worker = worker_of(link);
        link = link->next;
        free(worker);
    }
    rv_list_init(&memory->workers);
}

static struct worker *find(struct memory *memory, const char *id) {
    for (struct rv_list *link = memory->workers.next; link != &memory->workers; link = link->next)
        if (strcmp(worker_of(link)->row.id, id) == 0) return worker_of(link);
    return NULL;
}

static struct worker *make(struct memory *memory) {
    struct worker *worker = calloc(1, sizeof *worker);
    if (worker) rv_list_add_tail(&memory->workers, &worker->link);
    return worker;
}

/* So that the register stays as long as there are workers. */
static void forget_the_gone(struct memory *memory) {
    struct rv_list *link = memory->workers.next;
    while (link != &memory->workers) {
        struct worker *worker = worker_of(link);
        link = link->next;
        if (!is_gone(memory, worker)) continue;
        rv_list_remove(&worker->link);
        free(worker);
    }
}

int rv_mem_beat(struct rv_store *s, const struct rv_worker_row *row, int64_t ttl_ms,
                struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    struct worker *worker = find(memory, row->id);
    if (!worker) worker = make(memory);
    if (!worker) return rv_mem_leave(memory, rv_fail(err, REEVE_ENOMEM, "register a worker"));
    worker->row = *row;
    worker->row.seen_at_ms = memory->now.wall_ms;
    worker->gone_at = rv_time_add(memory->now.boot_ms, ttl_ms);
    forget_the_gone(memory);
    return rv_mem_leave(memory, 0);
}

int rv_mem_leave_worker(struct rv_store *s, const char *worker_id, struct rv_error *err) {
    (void)err;
    struct memory *memory = rv_mem_enter(s);
    struct worker *worker = find(memory, worker_id);
    if (worker) {
        rv_list_remove(&worker->link);
        free(worker);
    }
    return rv_mem_leave(memory, 0);
}

static size_t count_all(const struct memory *memory) {
    size_t count = 0;
    for (struct rv_list *link = memory->workers.next; link != &memory->workers; link = link->next)
        count++;
    return count;
}

int rv_mem_workers(struct rv_store *s, struct rv_workers *out, struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    out->rows = calloc(count_all(memory) + 1, sizeof *out->rows);
    if (!out->rows) return rv_mem_leave(memory, rv_fail(err, REEVE_ENOMEM, "list the workers"));
    for (struct rv_list *link = memory->workers.next; link != &memory->workers; link = link->next)
        if (!is_gone(memory, worker_of(link))) out->rows[out->count++] = worker_of(link)->row;
    return rv_mem_leave(memory, 0);
}
