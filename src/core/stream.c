#include "core/stream.h"

#include <stdlib.h>
#include <string.h>

#include "core/arena.h"

static struct reeve_stream *place_stream(struct rv_arena *arena, const struct reeve_stream *from) {
    struct reeve_stream *to = rv_arena_room(arena, sizeof *to);
    struct reeve_stream copy = *from;
    copy.group = rv_arena_text(arena, from->group);
    copy.name = rv_arena_text(arena, from->name);
    copy.member = rv_arena_text(arena, from->member);
    copy.info = rv_arena_copy(arena, from->info, from->info_size);
    if (to) *to = copy;
    return to;
}

struct reeve_stream *rv_stream_pack(const struct reeve_stream *stream) {
    struct rv_arena arena = {0};
    (void)place_stream(&arena, stream);
    arena = (struct rv_arena){.block = malloc(arena.used)};
    return arena.block ? place_stream(&arena, stream) : NULL;
}

static struct reeve_letter *place_letter(struct rv_arena *arena, const struct reeve_letter *from) {
    struct reeve_letter *to = rv_arena_room(arena, sizeof *to);
    struct reeve_letter copy = *from;
    copy.group = rv_arena_text(arena, from->group);
    copy.id = rv_arena_text(arena, from->id);
    copy.name = rv_arena_text(arena, from->name);
    copy.reason = rv_arena_text(arena, from->reason);
    copy.member = rv_arena_text(arena, from->member);
    copy.info = rv_arena_copy(arena, from->info, from->info_size);
    if (to) *to = copy;
    return to;
}

struct reeve_letter *rv_letter_pack(const struct reeve_letter *letter) {
    struct rv_arena arena = {0};
    (void)place_letter(&arena, letter);
    arena = (struct rv_arena){.block = malloc(arena.used)};
    return arena.block ? place_letter(&arena, letter) : NULL;
}

/* ---- figures ---- */
enum { STATS = RV_MEMBER_STATS_SIZE / sizeof(uint64_t) };
_Static_assert(RV_MEMBER_STATS_SIZE % sizeof(uint64_t) == 0, "all but the size are of 8 bytes");

int rv_member_stats_pack(const struct reeve_member_stats *stats, struct rv_buf *out) {
    uint64_t numbers[STATS];
    int rc = 0;
    memcpy(numbers, (const char *)stats + sizeof stats->size, sizeof numbers);
    for (size_t i = 0; !rc && i < STATS; i++)
        rc = rv_buf_add_u64(out, numbers[i]);
    return rc;
}

void rv_member_stats_unpack(struct rv_bytes bytes, struct reeve_member_stats *out) {
    uint64_t numbers[STATS] = {0};
    struct rv_reader reader;
    rv_reader_init(&reader, bytes);
    for (size_t i = 0; i < STATS && i < bytes.size / sizeof *numbers; i++)
        numbers[i] = rv_read_u64(&reader);
    out->size = sizeof *out;
    memcpy((char *)out + sizeof out->size, numbers, sizeof numbers);
}
