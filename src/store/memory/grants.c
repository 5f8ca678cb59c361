/* Grants: leases of names, with a line of those who wait for each. */
#include "store/memory/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ticket { /* a place in line (L5) */
    struct rv_list link;
    uint64_t holder;
    int64_t deadline; /* boot_ms */
};

static struct ticket *ticket_of(struct rv_list *link) {
    return rv_container_of(link, struct ticket, link);
}

static struct grant *grant_of(struct rv_list *link) {
    return rv_container_of(link, struct grant, link);
}

static bool stands(const struct memory *memory, const struct grant *grant) {
    return grant->holder && grant->deadline > memory->now.boot_ms;
}

/* ---- finding, making, forgetting ---- */
static int order(const struct grant *grant, enum rv_grant_kind kind, const char *name) {
    return grant->kind != kind ? (int)grant->kind - (int)kind : strcmp(grant->name, name);
}

/* The first that does not come before, or the head of the list. */
static struct rv_list *place(struct memory *memory, enum rv_grant_kind kind, const char *name) {
    struct rv_list *link = memory->grants.next;
    while (link != &memory->grants && order(grant_of(link), kind, name) < 0)
        link = link->next;
    return link;
}

struct grant *rv_mem_grant_find(struct memory *memory, enum rv_grant_kind kind, const char *name) {
    struct rv_list *link = place(memory, kind, name);
    if (link == &memory->grants || order(grant_of(link), kind, name) != 0) return NULL;
    return grant_of(link);
}

static struct grant *make(struct memory *memory, enum rv_grant_kind kind, const char *name) {
    struct grant *grant = rv_mem_grant_find(memory, kind, name);
    if (grant) return grant;
    grant = calloc(1, sizeof *grant);
    if (!grant) return NULL;
    grant->kind = kind;
    memcpy(grant->name, name, strlen(name) + 1); /* checked in store.c: it fits */
    grant->token = memory->grants_token;
    rv_list_init(&grant->line);
    rv_list_add_tail(place(memory, kind, name), &grant->link);
    return grant;
}

static void drop_ticket(struct ticket *ticket) {
    rv_list_remove(&ticket->link);
    free(ticket);
}

static void destroy(struct grant *grant) {
    rv_list_remove(&grant->link);
    struct rv_list *link = grant->line.next;
    while (link != &grant->line) {
        struct ticket *ticket = ticket_of(link);
        link = link->next;
        free(ticket);
    }
    free(grant);
}

void rv_mem_grant_clear(struct memory *memory) {
    struct rv_list *link = memory->grants.next;
    while (link != &memory->grants) {
        struct grant *grant = grant_of(link);
        link = link->next;
        destroy(grant);
    }
}

/* Who comes first in line, of those whose tickets stand, or NULL. */
static struct ticket *first_in_line(const struct memory *memory, const struct grant *grant) {
    for (struct rv_list *link = grant->line.next; link != &grant->line; link = link->next)
        if (ticket_of(link)->deadline > memory->now.boot_ms) return ticket_of(link);
    return NULL;
}

/* Their tokens live on in the one that all new names begin after (J4). */
static void forget_long_free(struct memory *memory) {
    int64_t before = memory->now.boot_ms - RV_GRANT_KEPT_MS;
    struct rv_list *link = memory->grants.next;
    while (link != &memory->grants) {
        struct grant *grant = grant_of(link);
        link = link->next;
        if (grant->deadline > before || first_in_line(memory, grant)) continue;
        if (grant->token > memory->grants_token) memory->grants_token = grant->token;
        destroy(grant);
    }
}

/* ---- take ---- */
static struct ticket *find_ticket(const struct memory *memory, const struct grant *grant,
                                  uint64_t holder) {
    for (struct rv_list *link = grant->line.next; link != &grant->line; link = link->next) {
        struct ticket *ticket = ticket_of(link);
        if (ticket->holder == holder && ticket->deadline > memory->now.boot_ms) return ticket;
    }
    return NULL;
}

/* Places that were not kept up go when another comes. */
static void forget_dead_tickets(const struct memory *memory, struct grant *grant) {
    struct rv_list *link = grant->line.next;
    while (link != &grant->line) {
        struct ticket *ticket = ticket_of(link);
        link = link->next;
        if (ticket->deadline <= memory->now.boot_ms) drop_ticket(ticket);
    }
}

static void give(struct memory *memory, struct grant *grant, const struct rv_grant_ask *ask) {
    struct ticket *ticket = find_ticket(memory, grant, ask->holder);
    if (ticket) drop_ticket(ticket);
    uint64_t now = (uint64_t)memory->now.wall_us;
    grant->token = grant->token + 1 > now ? grant->token + 1 : now; /* J4 */
    grant->holder = ask->holder;
    grant->since_ms = memory->now.wall_ms;
    grant->resign = false;
    (void)snprintf(grant->by, sizeof grant->by, "%s", ask->by);
}

static int line_up(struct memory *memory, struct grant *grant, const struct rv_grant_ask *ask,
                   struct rv_grant_answer *out) {
    struct ticket *ticket = find_ticket(memory, grant, ask->holder);
    if (!ticket) {
        ticket = calloc(1, sizeof *ticket);
        if (!ticket) return REEVE_ENOMEM;
        ticket->holder = ask->holder;
        rv_list_add_tail(&grant->line, &ticket->link);
    }
    ticket->deadline = rv_time_add(memory->now.boot_ms, ask->ticket_ms);
    for (struct rv_list *link = grant->line.next; link != &ticket->link; link = link->next)
        if (ticket_of(link)->deadline > memory->now.boot_ms) out->ahead++;
    forget_dead_tickets(memory, grant);
    return 0;
}

static int take(struct memory *memory, struct grant *grant, const struct rv_grant_ask *ask,
                struct rv_grant_answer *out) {
    const struct ticket *first = first_in_line(memory, grant);
    bool held = stands(memory, grant), mine = held && grant->holder == ask->holder;
    if (mine || (!held && (!first || first->holder == ask->holder))) { /* L1 */
        if (!mine) give(memory, grant, ask);
        grant->deadline = rv_time_add(memory->now.boot_ms, ask->lease_ms);
        out->token = grant->token;
        return 0;
    }
    int64_t until = held ? grant->deadline : first->deadline;
    out->free_in_ms = until - memory->now.boot_ms;
    return ask->ticket_ms ? line_up(memory, grant, ask, out) : 0;
}

int rv_mem_grant_take(struct rv_store *s, const struct rv_grant_ask *ask, int64_t timeout_ms,
                      struct rv_grant_answer *out, struct rv_error *err) {
    (void)timeout_ms;
    struct memory *memory = rv_mem_enter(s);
    struct grant *grant = make(memory, ask->kind, ask->name);
    int rc = grant ? take(memory, grant, ask, out) : REEVE_ENOMEM;
    if (rc) (void)rv_fail(err, rc, "take %s", ask->name);
    return rv_mem_leave(memory, rc);
}

/* ---- renew, release, check, resign ---- */
static void renew(struct memory *memory, struct rv_grant_renewal *renewal) {
    struct grant *grant = rv_mem_grant_find(memory, renewal->kind, renewal->name);
    renewal->lost = !grant || !stands(memory, grant) || grant->holder != renewal->holder ||
                    grant->token != renewal->token; /* L2 */
    if (renewal->lost) return;
    grant->deadline = rv_time_add(memory->now.boot_ms, renewal->lease_ms);
    renewal->resign = grant->resign;
}

int rv_mem_grant_renew(struct rv_store *s, struct rv_grant_renewal *renewals, size_t count,
                       int64_t timeout_ms, struct rv_error *err) {
    (void)timeout_ms, (void)err;
    struct memory *memory = rv_mem_enter(s);
    for (size_t i = 0; i < count; i++)
        renew(memory, &renewals[i]);
    return rv_mem_leave(memory, 0);
}

/* Whether there was something to let go. */
static bool release(struct memory *memory, struct grant *grant, uint64_t holder) {
    bool held = stands(memory, grant) && grant->holder == holder;
    struct ticket *ticket = find_ticket(memory, grant, holder);
    bool in_line = ticket != NULL;
    if (ticket) drop_ticket(ticket);
    if (held) {
        grant->holder = 0;
        grant->deadline = memory->now.boot_ms;
        grant->resign = false;
    }
    if (held || in_line) {
        grant->freed++;
        memory->changed = true;
    }
    return held || in_line;
}

int rv_mem_grant_release(struct rv_store *s, enum rv_grant_kind kind, const char *name,
                         uint64_t holder, int64_t timeout_ms, struct rv_error *err) {
    (void)timeout_ms;
    struct memory *memory = rv_mem_enter(s);
    struct grant *grant = rv_mem_grant_find(memory, kind, name);
    int rc = grant && release(memory, grant, holder)
                 ? 0
                 : rv_fail(err, REEVE_EFENCED, "%s is not yours to release", name);
    forget_long_free(memory);
    return rv_mem_leave(memory, rc);
}

int rv_mem_grant_check(struct rv_store *s, enum rv_grant_kind kind, const char *name,
                       uint64_t token, struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    const struct grant *grant = rv_mem_grant_find(memory, kind, name);
    bool good = grant && stands(memory, grant) && grant->token == token; /* L4 */
    int rc = good ? 0 : rv_fail(err, REEVE_EFENCED, "%s is not held under this token", name);
    return rv_mem_leave(memory, rc);
}

int rv_mem_grant_resign(struct rv_store *s, enum rv_grant_kind kind, const char *name,
                        struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    struct grant *grant = rv_mem_grant_find(memory, kind, name);
    if (!grant || !stands(memory, grant))
        return rv_mem_leave(memory, rv_fail(err, REEVE_ENOENT, "nobody holds %s", name));
    grant->resign = true;
    grant->asked++;
    memory->changed = true;
    return rv_mem_leave(memory, 0);
}

/* ---- grants ---- */
static void show(const struct memory *memory, struct grant *grant, struct rv_grant_row *row) {
    int64_t left_ms = grant->deadline - memory->now.boot_ms;
    *row = (struct rv_grant_row){.token = grant->token,
                                 .holder = grant->holder,
                                 .since_ms = grant->since_ms,
                                 .until_ms = memory->now.wall_ms + left_ms,
                                 .resign = grant->resign};
    (void)snprintf(row->name, sizeof row->name, "%s", grant->name);
    (void)snprintf(row->by, sizeof row->by, "%s", grant->by);
    for (struct rv_list *link = grant->line.next; link != &grant->line; link = link->next)
        if (ticket_of(link)->deadline > memory->now.boot_ms) row->waiting++;
}

static bool is_asked_for(const struct memory *memory, const struct grant *grant,
                         const struct rv_grants_query *query) {
    if (grant->kind != query->kind || !stands(memory, grant)) return false;
    if (query->name) return strcmp(grant->name, query->name) == 0;
    return !query->after || strcmp(grant->name, query->after) > 0;
}

int rv_mem_grants(struct rv_store *s, const struct rv_grants_query *query, struct rv_grants *out,
                  struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    out->rows = calloc(query->limit, sizeof *out->rows);
    if (!out->rows) return rv_mem_leave(memory, rv_fail(err, REEVE_ENOMEM, "list the grants"));
    for (struct rv_list *link = memory->grants.next;
         link != &memory->grants && out->count < query->limit; link = link->next)
        if (is_asked_for(memory, grant_of(link), query))
            show(memory, grant_of(link), &out->rows[out->count++]);
    return rv_mem_leave(memory, 0);
}
