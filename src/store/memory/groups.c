/* Groups, and the streams in them: made, moved, shown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/stream.h"
#include "store/memory/streams.h"

static struct group *group_of(struct rv_list *link) {
    return rv_container_of(link, struct group, link);
}

/* ---- groups ---- */

/* The first that does not come before, or the head of the list. */
static struct rv_list *place(struct memory *memory, const char *name) {
    struct rv_list *link = memory->groups.next;
    while (link != &memory->groups && strcmp(group_of(link)->name, name) < 0)
        link = link->next;
    return link;
}

struct group *rv_mem_group_find(struct memory *memory, const char *name) {
    struct rv_list *link = place(memory, name);
    if (link == &memory->groups || strcmp(group_of(link)->name, name) != 0) return NULL;
    return group_of(link);
}

struct group *rv_mem_group_make(struct memory *memory, const char *name) {
    struct group *group = rv_mem_group_find(memory, name);
    if (group) return group;
    group = calloc(1, sizeof *group);
    if (!group) return NULL;
    group->memory = memory;
    memcpy(group->name, name, strlen(name) + 1); /* checked in streams.c: it fits */
    rv_list_init(&group->letters);
    rv_list_init(&group->members);
    rv_list_add_tail(place(memory, name), &group->link);
    return group;
}

void rv_mem_group_clear(struct memory *memory) {
    for (struct rv_list *link; (link = rv_list_pop(&memory->groups));) {
        struct group *group = group_of(link);
        for (struct rv_tree_node *node; (node = rv_tree_first(&group->listed));)
            rv_mem_stream_destroy(rv_container_of(node, struct stream, listed));
        rv_mem_letter_clear(group);
        rv_mem_member_clear(group);
        rv_map_release(&group->streams);
        free(group);
    }
}

int rv_mem_stream_groups(struct rv_store *s, const char *after, size_t limit, struct rv_names *out,
                         struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    out->names = calloc(limit, sizeof *out->names);
    if (!out->names) return rv_mem_leave(memory, rv_fail(err, REEVE_ENOMEM, "list the groups"));
    for (struct rv_list *link = memory->groups.next; link != &memory->groups && out->count < limit;
         link = link->next) {
        const struct group *group = group_of(link);
        if (after && strcmp(group->name, after) <= 0) continue;
        memcpy(out->names[out->count++], group->name, sizeof group->name);
    }
    return rv_mem_leave(memory, 0);
}

/* ---- streams: where they stand ---- */
struct stream *rv_mem_stream_find(const struct group *group, const char *name) {
    struct rv_map_node *node = group ? rv_map_get(&group->streams, name) : NULL;
    return node ? rv_container_of(node, struct stream, by_name) : NULL;
}

static void stand_in_line(struct stream *stream) {
    struct group *group = stream->group;
    stream->holder = 0;
    stream->yielding = false;
    stream->offered_at_ms = group->memory->now.wall_ms;
    rv_tree_add(&group->waiting, &stream->turn, 0, ++group->last_seq);
    group->totals.waiting++;
    group->memory->changed = true;
}

static void leave_turn(struct stream *stream) {
    struct group *group = stream->group;
    rv_tree_remove(stream->holder ? &group->owned : &group->waiting, &stream->turn);
    if (stream->holder)
        group->totals.owned--;
    else
        group->totals.waiting--;
}

struct stream *rv_mem_stream_add(struct group *group, const char *name, const void *info,
                                 size_t info_size) {
    size_t name_size = strlen(name) + 1;
    struct stream *stream = calloc(1, sizeof *stream + name_size + info_size);
    if (!stream) return NULL;
    stream->group = group;
    stream->name = memcpy(stream + 1, name, name_size);
    stream->info = stream->name + name_size;
    if (info_size) memcpy(stream->info, info, info_size);
    stream->info_size = info_size;
    if (rv_map_add(&group->streams, &stream->by_name, stream->name)) {
        free(stream);
        return NULL;
    }
    stream->number = ++group->last_number;
    rv_tree_add(&group->listed, &stream->listed, 0, stream->number);
    stand_in_line(stream);
    return stream;
}

void rv_mem_stream_destroy(struct stream *stream) {
    leave_turn(stream);
    rv_tree_remove(&stream->group->listed, &stream->listed);
    rv_map_remove(&stream->group->streams, &stream->by_name);
    free(stream);
}

void rv_mem_stream_line_up(struct stream *stream) {
    leave_turn(stream);
    stand_in_line(stream);
}

/* ---- streams: their leases ---- */
static void set_deadline(struct stream *stream, int64_t lease_ms) {
    stream->touched = stream->group->memory->now.boot_ms;
    stream->deadline = rv_time_add(stream->touched, lease_ms);
    rv_tree_add(&stream->group->owned, &stream->turn, stream->deadline, stream->number);
}

void rv_mem_stream_own(struct stream *stream, const struct rv_stream_ask *ask, uint64_t token) {
    leave_turn(stream);
    stream->holder = ask->holder;
    stream->token = token;
    stream->owned_at_ms = stream->group->memory->now.wall_ms;
    (void)snprintf(stream->by, sizeof stream->by, "%s", ask->by);
    set_deadline(stream, ask->lease_ms);
    stream->group->totals.owned++;
}

void rv_mem_stream_prolong(struct stream *stream, int64_t lease_ms) {
    rv_tree_remove(&stream->group->owned, &stream->turn);
    set_deadline(stream, lease_ms);
}

bool rv_mem_stream_stands(const struct stream *stream) {
    return stream->holder && stream->deadline > stream->group->memory->now.boot_ms;
}

/* ---- showing ---- */
struct reeve_stream *rv_mem_stream_pack(const struct stream *stream) {
    const struct moment *now = &stream->group->memory->now;
    struct reeve_stream view = {.group = stream->group->name,
                                .name = stream->name,
                                .info = stream->info,
                                .info_size = stream->info_size,
                                .state = REEVE_STREAM_WAITING,
                                .retries = stream->retries,
                                .token = stream->token,
                                .offered_at_ms = stream->offered_at_ms};
    if (stream->holder) {
        view.state = REEVE_STREAM_OWNED;
        view.member = stream->by;
        view.owned_at_ms = stream->owned_at_ms;
        view.lease_until_ms = now->wall_ms + (stream->deadline - now->boot_ms);
        view.yielding = stream->yielding;
    }
    return rv_stream_pack(&view);
}

static bool is_asked_for(const struct stream *stream, enum reeve_stream_state state) {
    return !state || (state == REEVE_STREAM_OWNED) == (stream->holder != 0);
}

/* All that fits from the one after `after` on. */
static int gather(const struct group *group, const struct rv_stream_query *query, uint64_t after,
                  struct rv_streams *out) {
    struct rv_tree_node *node = rv_tree_after(&group->listed, 0, after);
    for (; node && out->count < query->limit; node = rv_tree_after(&group->listed, 0, after)) {
        const struct stream *stream = rv_container_of(node, struct stream, listed);
        after = stream->number;
        if (!is_asked_for(stream, query->state)) continue;
        out->streams[out->count] = rv_mem_stream_pack(stream);
        if (!out->streams[out->count]) return REEVE_ENOMEM;
        out->count++;
    }
    if (node) (void)snprintf(out->cursor, sizeof out->cursor, "%llu", (unsigned long long)after);
    return 0;
}

int rv_mem_stream_list(struct rv_store *s, const struct rv_group *group,
                       const struct rv_stream_query *query, struct rv_streams *out,
                       struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    const struct group *found = rv_mem_group_find(memory, group->name);
    uint64_t after = query->after ? strtoull(query->after, NULL, 10) : 0;
    out->streams = calloc(query->limit, sizeof(*out->streams));
    int rc = !out->streams ? REEVE_ENOMEM : found ? gather(found, query, after, out) : 0;
    return rv_mem_leave(memory, rc ? rv_fail(err, rc, "list the streams") : 0);
}

int rv_mem_stream_read(struct rv_store *s, const struct rv_group *group, const char *name,
                       struct reeve_stream **out, struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    const struct stream *stream = rv_mem_stream_find(rv_mem_group_find(memory, group->name), name);
    int rc = 0;
    if (!stream)
        rc = rv_fail(err, REEVE_ENOENT, "no stream %s in group %s", name, group->name);
    else if (!(*out = rv_mem_stream_pack(stream)))
        rc = rv_fail(err, REEVE_ENOMEM, "read a stream");
    return rv_mem_leave(memory, rc);
}
