/* Members of a group: who shares its streams, for people and for sharing out (S9). */
#include <stdlib.h>
#include <string.h>

#include "store/memory/streams.h"

struct member {
    struct rv_list link; /* in group->members */
    struct rv_member_row row;
    int64_t gone_at; /* boot_ms */
};

static struct member *member_of(struct rv_list *link) {
    return rv_container_of(link, struct member, link);
}

static void destroy(struct member *member) {
    rv_list_remove(&member->link);
    free(member);
}

void rv_mem_member_clear(struct group *group) {
    while (!rv_list_empty(&group->members))
        destroy(member_of(group->members.next));
}

static bool is_gone(const struct group *group, const struct member *member) {
    return member->gone_at <= group->memory->now.boot_ms;
}

static struct member *find(const struct group *group, const char *id) {
    for (struct rv_list *link = group->members.next; link != &group->members; link = link->next)
        if (strcmp(member_of(link)->row.id, id) == 0) return member_of(link);
    return NULL;
}

/* So that the list stays as long as there are members. */
static void forget_the_gone(struct group *group) {
    struct rv_list *link = group->members.next;
    while (link != &group->members) {
        struct member *member = member_of(link);
        link = link->next;
        if (is_gone(group, member)) destroy(member);
    }
}

static int beat(struct group *group, const struct rv_member_row *row, int64_t ttl_ms) {
    struct member *member = find(group, row->id);
    if (!member && ttl_ms) {
        member = calloc(1, sizeof *member);
        if (!member) return REEVE_ENOMEM;
        rv_list_add_tail(&group->members, &member->link);
    }
    if (member) {
        member->row = *row;
        member->row.seen_at_ms = group->memory->now.wall_ms;
        member->gone_at = rv_time_add(group->memory->now.boot_ms, ttl_ms);
    }
    forget_the_gone(group);
    return 0;
}

int rv_mem_stream_beat(struct rv_store *s, const struct rv_group *group,
                       const struct rv_member_row *member, int64_t ttl_ms, struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    struct group *of = rv_mem_group_make(memory, group->name);
    int rc = of ? beat(of, member, ttl_ms) : REEVE_ENOMEM;
    return rv_mem_leave(memory, rc ? rv_fail(err, rc, "join a group") : 0);
}

static size_t count_living(const struct group *group) {
    size_t count = 0;
    for (struct rv_list *link = group->members.next; link != &group->members; link = link->next)
        if (!is_gone(group, member_of(link))) count++;
    return count;
}

int rv_mem_stream_members(struct rv_store *s, const struct rv_group *group, struct rv_members *out,
                          struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    const struct group *of = rv_mem_group_find(memory, group->name);
    if (!of) return rv_mem_leave(memory, 0);
    out->rows = calloc(RV_MEMBERS_MAX, sizeof *out->rows);
    if (!out->rows) return rv_mem_leave(memory, rv_fail(err, REEVE_ENOMEM, "list the members"));
    for (struct rv_list *link = of->members.next;
         link != &of->members && out->count < RV_MEMBERS_MAX; link = link->next)
        if (!is_gone(of, member_of(link))) out->rows[out->count++] = member_of(link)->row;
    return rv_mem_leave(memory, 0);
}

int rv_mem_stream_stats(struct rv_store *s, const struct rv_group *group, struct reeve_group *out,
                        struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    const struct group *of = rv_mem_group_find(memory, group->name);
    if (!of) return rv_mem_leave(memory, rv_fail(err, REEVE_ENOENT, "no group %s", group->name));
    *out = of->totals;
    out->name = group->name;
    out->members = count_living(of);
    return rv_mem_leave(memory, 0);
}
