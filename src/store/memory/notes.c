/* What a running job tells of itself: check, note. */
#include "store/memory/memory.h"

#include <stdlib.h>
#include <string.h>

void rv_mem_notes_destroy(struct notes *notes) {
    if (!notes) return;
    for (size_t i = 0; i < notes->count; i++)
        free(notes->lines[i]);
    free(notes);
}

static bool holds(const struct record *record, uint64_t token, uint64_t holder) {
    const struct claim *claim = record->claim;
    return claim && claim->token == token && claim->holder == holder;
}

static int fence(const char *queue_name, const char *id, struct rv_error *err) {
    return rv_fail(err, REEVE_EFENCED, "job '%s' of queue %s is no longer held under this lease",
                   id, queue_name);
}

int rv_mem_check(struct rv_store *s, const char *queue_name, const char *id, uint64_t token,
                 uint64_t holder, struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    struct queue *queue = rv_mem_queue_find(memory, queue_name);
    const struct record *record = queue ? rv_mem_record_find(queue, id) : NULL;
    int rc = 0;
    if (!record)
        rc = rv_fail(err, REEVE_ENOENT, "no job '%s' in queue %s", id, queue_name);
    else if (!holds(record, token, holder))
        rc = fence(queue_name, id, err);
    return rv_mem_leave(memory, rc);
}

static struct notes *notes_of(struct record *record) {
    if (record->notes) return record->notes;
    record->notes = calloc(1, sizeof *record->notes);
    if (record->notes) record->notes->progress = REEVE_NONE;
    return record->notes;
}

static void add_line(struct notes *notes, char *line) {
    if (notes->count == RV_LOG_LINES_MAX) {
        free(notes->lines[0]);
        notes->count--;
        memmove(notes->lines, notes->lines + 1, notes->count * sizeof *notes->lines);
    }
    notes->lines[notes->count++] = line;
}

static char *copy(const char *line) {
    size_t size = strlen(line) + 1;
    char *made = malloc(size);
    return made ? memcpy(made, line, size) : NULL;
}

static int write_down(struct record *record, const struct rv_note *note) {
    char *line = note->line ? copy(note->line) : NULL;
    struct notes *notes = notes_of(record);
    if (!notes || (note->line && !line)) {
        free(line);
        return REEVE_ENOMEM;
    }
    if (note->progress >= 0) notes->progress = note->progress;
    if (line) add_line(notes, line);
    return 0;
}

int rv_mem_note(struct rv_store *s, const char *queue_name, const struct rv_note *note,
                struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    struct queue *queue = rv_mem_queue_find(memory, queue_name);
    struct record *record = queue ? rv_mem_record_find(queue, note->id) : NULL;
    if (!record || !holds(record, note->token, note->holder)) { /* J3 */
        if (queue) queue->totals.fenced_total++;
        return rv_mem_leave(memory, fence(queue_name, note->id, err));
    }
    int rc = write_down(record, note);
    if (rc) (void)rv_fail(err, rc, "note of job '%s' of queue %s", note->id, queue_name);
    return rv_mem_leave(memory, rc);
}
