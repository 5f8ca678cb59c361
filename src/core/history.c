#include "core/history.h"

#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/limits.h"

/* Version 1: u8 version, then entries of u8 outcome, u32 attempt, u64 token, u64 started, u64
 * ended, sized worker, u8 failed, and if so sized code and sized message. A new layout takes a new
 * version number and leaves the reading of this one in place: records of both may stand in one
 * store. */
enum { VERSION = 1 };

static int write_attempt(struct rv_buf *buf, const struct reeve_attempt *attempt) {
    (void)rv_buf_add_u8(buf, (uint8_t)attempt->outcome);
    (void)rv_buf_add_u32(buf, (uint32_t)attempt->attempt);
    (void)rv_buf_add_u64(buf, attempt->token);
    (void)rv_buf_add_u64(buf, (uint64_t)attempt->started_at_ms);
    (void)rv_buf_add_u64(buf, (uint64_t)attempt->ended_at_ms);
    const char *worker = attempt->worker ? attempt->worker : "";
    (void)rv_buf_add_sized(buf, worker, strlen(worker));
    (void)rv_buf_add_u8(buf, attempt->error != NULL);
    if (attempt->error) {
        const struct reeve_failure *error = attempt->error;
        const char *code = error->code ? error->code : "",
                   *message = error->message ? error->message : "";
        (void)rv_buf_add_sized(buf, code, strnlen(code, RV_ERROR_CODE_MAX));
        (void)rv_buf_add_sized(buf, message, strnlen(message, RV_HISTORY_MESSAGE_MAX));
    }
    return buf->error;
}

int rv_history_write(struct rv_buf *buf, const struct reeve_attempt *const *attempts, size_t count,
                     const struct reeve_attempt *last) {
    if (!count && !last) return 0;
    size_t most = last ? RV_HISTORY_MAX - 1 : RV_HISTORY_MAX;
    size_t first = count > most ? count - most : 0;
    (void)rv_buf_add_u8(buf, VERSION);
    for (size_t i = first; i < count; i++)
        (void)write_attempt(buf, attempts[i]);
    if (last) (void)write_attempt(buf, last);
    return buf->error;
}

static struct reeve_attempt read_attempt(struct rv_reader *reader, struct rv_arena *arena,
                                         struct reeve_failure *error) {
    struct reeve_attempt attempt = {.outcome = (enum reeve_attempt_outcome)rv_read_u8(reader)};
    if (attempt.outcome > REEVE_ATTEMPT_CANCELLED) reader->failed = 1;
    attempt.attempt = (int)(rv_read_u32(reader) & INT32_MAX);
    attempt.token = rv_read_u64(reader);
    attempt.started_at_ms = (int64_t)rv_read_u64(reader);
    attempt.ended_at_ms = (int64_t)rv_read_u64(reader);
    struct rv_bytes worker = rv_read_sized(reader);
    attempt.worker = rv_arena_copy(arena, worker.data, worker.size);
    if (rv_read_u8(reader)) {
        struct rv_bytes code = rv_read_sized(reader), message = rv_read_sized(reader);
        *error =
            (struct reeve_failure){.code = rv_arena_copy(arena, code.data, code.size),
                                   .message = rv_arena_copy(arena, message.data, message.size)};
        attempt.error = error;
    }
    return attempt;
}

struct entry {
    struct reeve_attempt attempt;
    struct reeve_failure error;
};

/* Reads all entries, laying them out in arena; *count and reader->failed tell how it went. */
static struct rv_history *read_entries(struct rv_bytes bytes, struct rv_arena *arena,
                                       struct rv_reader *reader) {
    struct rv_history *history = rv_arena_room(arena, sizeof *history);
    const struct reeve_attempt **list = rv_arena_room(arena, RV_HISTORY_MAX * sizeof(*list));
    size_t count = 0;
    rv_reader_init(reader, bytes);
    if (rv_read_u8(reader) != VERSION) reader->failed = 1;
    while (!reader->failed && reader->at < reader->end) {
        if (count == RV_HISTORY_MAX) {
            reader->failed = 1;
            break;
        }
        struct entry *entry = rv_arena_room(arena, sizeof *entry), scratch = {0};
        struct entry *to = entry ? entry : &scratch;
        to->attempt = read_attempt(reader, arena, &to->error);
        if (list) list[count] = &to->attempt;
        count++;
    }
    if (history) *history = (struct rv_history){.count = count, .attempts = list};
    return history;
}

int rv_history_read(struct rv_bytes bytes, struct rv_history **out) {
    *out = NULL;
    if (!bytes.size) return 0;
    struct rv_reader reader;
    struct rv_arena arena = {0};
    (void)read_entries(bytes, &arena, &reader);
    if (reader.failed) return REEVE_ECORRUPT;
    arena = (struct rv_arena){.block = malloc(arena.used)};
    if (!arena.block) return REEVE_ENOMEM;
    *out = read_entries(bytes, &arena, &reader);
    return 0;
}
