/* Dead letters, and the counts of a group. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/stream.h"
#include "store/memory/streams.h"

static struct letter *letter_of(struct rv_list *link) {
    return rv_container_of(link, struct letter, link);
}

static void destroy(struct group *group, struct letter *letter) {
    rv_list_remove(&letter->link);
    free(letter->letter);
    free(letter);
    group->totals.failed--;
}

void rv_mem_letter_clear(struct group *group) {
    while (!rv_list_empty(&group->letters))
        destroy(group, letter_of(group->letters.next));
}

/* ---- writing one ---- */
static struct letter *write_letter(const struct stream *stream, const char *reason) {
    struct group *group = stream->group;
    char id[32];
    (void)snprintf(id, sizeof id, "%" PRIu64, group->last_letter + 1);
    struct reeve_letter view = {.group = group->name,
                                .id = id,
                                .name = stream->name,
                                .info = stream->info,
                                .info_size = stream->info_size,
                                .reason = reason,
                                .member = stream->by,
                                .retries = stream->retries + 1,
                                .failed_at_ms = group->memory->now.wall_ms};
    struct letter *letter = malloc(sizeof *letter);
    if (!letter) return NULL;
    *letter = (struct letter){.number = group->last_letter + 1, .letter = rv_letter_pack(&view)};
    if (letter->letter) return letter;
    free(letter);
    return NULL;
}

static void trim(struct group *group, uint64_t dead_max) {
    for (int i = 0; dead_max && group->totals.failed > dead_max && i < RV_TEND_MAX; i++) {
        destroy(group, letter_of(group->letters.next));
        group->totals.trimmed_total++;
    }
}

int rv_mem_stream_bounce(struct stream *stream, const struct rv_stream_fault *fault, bool *dead) {
    struct group *group = stream->group;
    *dead = fault->max_retries != REEVE_NONE && stream->retries + 1 > (uint64_t)fault->max_retries;
    if (!*dead) {
        stream->retries++;
        group->totals.requeued_total++;
        rv_mem_stream_line_up(stream);
        return 0;
    }
    struct letter *letter = write_letter(stream, fault->reason);
    if (!letter) return REEVE_ENOMEM;
    rv_list_add_tail(&group->letters, &letter->link);
    group->last_letter = letter->number;
    group->totals.failed++;
    group->totals.failed_total++;
    rv_mem_stream_destroy(stream);
    trim(group, fault->dead_max);
    return 0;
}

/* ---- looking ---- */
int rv_mem_stream_letters(struct rv_store *s, const struct rv_group *group, const char *after,
                          size_t limit, struct rv_letters *out, struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    const struct group *of = rv_mem_group_find(memory, group->name);
    uint64_t seen = after ? strtoull(after, NULL, 10) : 0;
    if (!of) return rv_mem_leave(memory, 0);
    out->letters = calloc(limit, sizeof(*out->letters));
    if (!out->letters) return rv_mem_leave(memory, rv_fail(err, REEVE_ENOMEM, "list dead letters"));
    for (struct rv_list *link = of->letters.next; link != &of->letters; link = link->next) {
        const struct letter *letter = letter_of(link);
        if (letter->number <= seen) continue;
        if (out->count == limit) {
            (void)snprintf(out->cursor, sizeof out->cursor, "%" PRIu64, seen);
            break;
        }
        out->letters[out->count] = rv_letter_pack(letter->letter);
        if (!out->letters[out->count])
            return rv_mem_leave(memory, rv_fail(err, REEVE_ENOMEM, "list dead letters"));
        out->count++;
        seen = letter->number;
    }
    return rv_mem_leave(memory, 0);
}

static struct letter *find(const struct group *group, const char *id) {
    if (!group) return NULL;
    for (struct rv_list *link = group->letters.next; link != &group->letters; link = link->next)
        if (strcmp(letter_of(link)->letter->id, id) == 0) return letter_of(link);
    return NULL;
}

/* ---- back in line, or away ---- */
static int put_back(struct group *group, struct letter *letter, struct rv_error *err) {
    const struct reeve_letter *from = letter->letter;
    if (rv_mem_stream_find(group, from->name))
        return rv_fail(err, REEVE_ESTATE, "stream %s waits or is owned already", from->name);
    if (!rv_mem_stream_add(group, from->name, from->info, from->info_size))
        return rv_fail(err, REEVE_ENOMEM, "revive a stream");
    group->totals.revived_total++;
    destroy(group, letter);
    return 0;
}

int rv_mem_stream_revive(struct rv_store *s, const struct rv_group *group, const char *id,
                         struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    struct group *of = rv_mem_group_find(memory, group->name);
    struct letter *letter = find(of, id);
    int rc = letter ? put_back(of, letter, err)
                    : rv_fail(err, REEVE_ENOENT, "no dead letter %s in group %s", id, group->name);
    return rv_mem_leave(memory, rc);
}

int rv_mem_stream_purge(struct rv_store *s, const struct rv_group *group,
                        const char *const *letters, size_t count, size_t *removed,
                        struct rv_error *err) {
    (void)err;
    struct memory *memory = rv_mem_enter(s);
    struct group *of = rv_mem_group_find(memory, group->name);
    for (size_t i = 0; i < count; i++) {
        struct letter *letter = find(of, letters[i]);
        if (!letter) continue;
        destroy(of, letter);
        of->totals.purged_total++;
        (*removed)++;
    }
    return rv_mem_leave(memory, 0);
}
