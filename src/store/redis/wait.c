/* wait and wake: sleeps on the bells of queues whose jobs are wanted, and listens to the channels
 * of what else may ring. Looks at the queues, and at the names that are waited for, first, every
 * few seconds, and when a bell has rung that may tell of nothing new. */
#include <stdlib.h>

#include "store/redis/conn.h"
#include "store/redis/end_bells.h"
#include "store/redis/grant_bells.h"
#include "store/redis/queue_bells.h"
#include "store/redis/streams_bells.h"

enum {
    LOOK_MS = 6000,   /* between looks while nothing is heard */
    QUIET_MS = 30000, /* the same at what others look at, too */
    POLL_MS = 1000,   /* a clock that was moved is noticed by then */
    APART_MS = 1000,  /* losses of a connection that are no outage are farther apart */
    ANEW_MAX = 8,     /* J11: times that a wait begins anew, as the queues are split anew */
};

struct wait {
    struct rv_rd *store;
    struct rv_rd_queue_bells queues;
    struct rv_rd_grant_bells names;
    struct rv_rd_group_bells groups;
    struct rv_rd_end_bells ends;
    int64_t offset_ms;   /* of the clock, at the latest look */
    int64_t look_at_ms;  /* the next one; boot, as all below */
    int64_t names_at_ms; /* the next one at names, unless messages are missed before: gaps */
    unsigned gaps;
    int64_t deadline_ms;
    int64_t lost_at_ms; /* a connection, latest; 0: none */
    uint64_t failovers; /* that had been noticed when it began */
    bool seen;          /* something, at the latest look */
    int64_t seen_ms;    /* when that was last so, or it began */
    bool rings, woken;
    bool rung; /* a bell was heard since the latest look */
};

/* ---- looking ---- */
/* In a cluster one server may be away while others are there: it rings no bell, and keeps none of
 * theirs from being heard. */
static bool may_go_on(const struct wait *wait, int rc) {
    bool away = rc == REEVE_EUNREACHABLE || rc == REEVE_EUNSURE;
    return !rc || (away && wait->store->topology.shape == RV_RD_CLUSTER);
}

/* Nothing answers, and it is another server's to do so soon, perhaps: it is looked for again, and
 * not before a call's time is over is that an outage. */
static bool is_patient(const struct wait *wait) {
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real);
    return wait->store->topology.shape == RV_RD_CLUSTER && now_ms < wait->deadline_ms &&
           now_ms < wait->seen_ms + wait->store->timeout_ms;
}

/* One kind of bells was looked at, if there are any. Returns whether the next may be. */
static bool note_look(struct wait *wait, size_t count, int rc) {
    if (count && !rc) wait->seen = true;
    if (wait->seen) wait->seen_ms = rv_clock_boot_ms(&rv_clock_real);
    return may_go_on(wait, rc);
}

/* Names are told of by channels, and those who want one ask for it now and then: only what may have
 * been missed is looked for. */
static int look_at_names(struct wait *wait, bool hears, struct rv_error *err) {
    const struct rv_rd_channels *heard = &wait->store->ear.channels;
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real);
    bool known = hears && heard->conn && heard->gaps == wait->gaps;
    if (known && now_ms < wait->names_at_ms) return 0;
    wait->gaps = heard->gaps;
    wait->names_at_ms = now_ms + QUIET_MS;
    return rv_rd_grant_bells_look(wait->store, &wait->names, &wait->rings, err);
}

static int look_at_all(struct wait *wait, bool hears, struct rv_error *err) {
    struct rv_rd *store = wait->store;
    int rc =
        rv_rd_queue_bells_look(store, &wait->queues, hears, &wait->rings, &wait->look_at_ms, err);
    if (!note_look(wait, wait->queues.count, rc)) return rc;
    int names_rc = look_at_names(wait, hears, err);
    if (!note_look(wait, wait->names.count, names_rc)) return names_rc;
    int groups_rc =
        rv_rd_group_bells_look(store, &wait->groups, &wait->rings, &wait->look_at_ms, err);
    if (!note_look(wait, wait->groups.count, groups_rc)) return groups_rc;
    if (!rc) rc = names_rc ? names_rc : groups_rc;
    return wait->seen || is_patient(wait) ? 0 : rc;
}

/* Nobody waits here for anything but marks, which renewals bring as well, and names, which those
 * who want one ask for now and then. */
static bool is_quiet(const struct wait *wait) {
    for (size_t i = 0; i < wait->queues.count; i++) {
        const struct rv_bell *bell = &wait->queues.bells[i];
        unsigned others = RV_MUTE_ENDED | RV_MUTE_EVENTS;
        if (bell->want_ready || (bell->mute & others) != others) return false;
    }
    return !wait->groups.count && !wait->ends.count;
}

static int look(struct wait *wait, bool hears, struct rv_error *err) {
    wait->rings = false;
    wait->rung = false;
    wait->offset_ms = atomic_load(&wait->store->clock->offset_ms);
    wait->look_at_ms = rv_clock_boot_ms(&rv_clock_real) + (is_quiet(wait) ? QUIET_MS : LOOK_MS);
    wait->seen = false;
    rv_rd_topology_refresh(&wait->store->topology, wait->look_at_ms);
    return look_at_all(wait, hears, err);
}

/* ---- hearing ---- */
static int want_channels(struct wait *wait, struct rv_error *err) {
    int rc = rv_rd_queue_bells_want(wait->store, &wait->queues, err);
    if (!rc) rc = rv_rd_grant_bells_want(wait->store, &wait->names, err);
    if (!rc) rc = rv_rd_group_bells_want(wait->store, &wait->groups, err);
    return rc ? rc : rv_rd_end_bells_want(wait->store, &wait->ends, err);
}

static int take_message(struct wait *wait, const struct rv_rd_message *message,
                        struct rv_error *err) {
    int rc = rv_rd_queue_bells_hear(wait->store, &wait->queues, message, &wait->rings, err);
    rv_rd_grant_bells_hear(wait->store, &wait->names, message, &wait->rings);
    rv_rd_group_bells_hear(wait->store, &wait->groups, message, &wait->rings);
    rv_rd_end_bells_hear(wait->store, &wait->ends, message, &wait->rings);
    return rc;
}

static int hear_messages(struct wait *wait, struct rv_error *err) {
    struct rv_rd_message message;
    int rc;
    bool any;
    do {
        rc = rv_rd_channels_look(&wait->store->ear.channels, &message, err);
        any = !rc && message.channel;
        if (any) rc = take_message(wait, &message, err);
        rv_rd_message_release(&message);
    } while (!rc && any);
    return rc;
}

/* How long to poll: until the next look, the end, or the clock is to be looked at. */
static int64_t poll_ms(const struct wait *wait) {
    int64_t until_ms = wait->look_at_ms < wait->deadline_ms ? wait->look_at_ms : wait->deadline_ms;
    int64_t ms = until_ms - rv_clock_boot_ms(&rv_clock_real);
    if (atomic_load(&wait->store->clock->offset_ms) != wait->offset_ms) return 0;
    return ms < POLL_MS ? ms : POLL_MS;
}

/* Bells of a server that was followed by another do not ring. */
static void hear_switches(struct wait *wait) {
    struct rv_rd_ear *ear = &wait->store->ear;
    if (!rv_rd_switches_hear(&ear->switches, &wait->store->topology)) return;
    rv_rd_sleepers_close(&ear->sleepers);
    wait->rung = true;
}

/* Somebody may want to know at once, and bells of the old server do not ring. */
static bool has_failed_over(const struct wait *wait) {
    return atomic_load(&wait->store->topology.failovers) != wait->failovers;
}

/* Until something was heard, or it is time to look. */
static int hear(struct wait *wait, struct rv_error *err) {
    struct rv_rd_ear *ear = &wait->store->ear;
    int rc = hear_messages(wait, err); /* that came with answers: poll() does not see them */
    while (!rc && !wait->rings && !wait->woken && !wait->rung && !has_failed_over(wait)) {
        rc = rv_rd_queue_bells_sleep(wait->store, &wait->queues, err);
        int64_t ms = poll_ms(wait);
        if (rc || ms <= 0) return rc;
        wait->woken = rv_rd_ear_poll(ear, ms);
        hear_switches(wait);
        rv_rd_group_bells_hear_hints(wait->store, &wait->groups, &wait->rings);
        rc = rv_rd_queue_bells_listen(wait->store, &wait->queues, &wait->rings, &wait->rung, err);
        if (!rc) rc = hear_messages(wait, err);
    }
    return rc;
}

/* ---- the ops ---- */
/* Whether a connection that was lost is made again at once, without anybody being told. */
static bool forgive(struct wait *wait, int rc) {
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real), before_ms = wait->lost_at_ms;
    wait->lost_at_ms = now_ms;
    return (rc == REEVE_EUNREACHABLE || rc == REEVE_EUNSURE) &&
           (!before_ms || now_ms - before_ms > APART_MS);
}

static int look_and_hear(struct wait *wait, struct rv_error *err) {
    bool over = rv_clock_boot_ms(&rv_clock_real) >= wait->deadline_ms;
    int rc;
    do {
        rc = over ? 0 : rv_rd_channels_listen(&wait->store->ear.channels, wait->store, err);
        if (!rc) rc = look(wait, !over, err);
        if (rc || wait->rings || over) return rc;
        rv_rd_switches_listen(&wait->store->ear.switches, &wait->store->topology);
        rv_rd_group_bells_listen(wait->store, &wait->groups);
        rc = hear(wait, err);
        if (rc && forgive(wait, rc)) rc = 0;
        over = rv_clock_boot_ms(&rv_clock_real) >= wait->deadline_ms;
    } while (!rc && !wait->rings && !wait->woken && !over && !has_failed_over(wait));
    return rc;
}

/* Queues first, then names, groups, ends: they are heard of in different ways. */
enum kind { QUEUE, NAME, GROUP, END, KINDS };

static enum kind kind_of(const struct rv_bell *bell) {
    if (bell->told) return END;
    return bell->group ? GROUP : bell->grant ? NAME : QUEUE;
}

static void sort_bells(const struct rv_bell *bells, size_t count, struct rv_bell *sorted,
                       size_t counts[KINDS]) {
    for (int kind = QUEUE; kind < KINDS; kind++) {
        counts[kind] = 0;
        for (size_t i = 0; i < count; i++)
            if ((int)kind_of(&bells[i]) == kind) sorted[counts[kind]++] = bells[i];
        sorted += counts[kind];
    }
}

static void put_back(const struct rv_bell *sorted, const size_t counts[KINDS],
                     struct rv_bell *bells, size_t count) {
    const struct rv_bell *next[KINDS] = {sorted};
    for (int kind = QUEUE + 1; kind < KINDS; kind++)
        next[kind] = next[kind - 1] + counts[kind - 1];
    for (size_t i = 0; i < count; i++)
        bells[i] = *next[kind_of(&bells[i])]++;
}

/* On the bells of the queues as they are split now, if that is known. */
static int wait_once(struct wait *wait, bool hears, bool *anew, struct rv_error *err) {
    rv_rd_ear_reset(&wait->store->ear);
    int rc = rv_rd_queue_bells_init(wait->store, &wait->queues, err);
    if (!rc && hears) rc = want_channels(wait, err);
    if (!rc) rc = look_and_hear(wait, err);
    rv_rd_queue_bells_rise(wait->store, &wait->queues);
    *anew = !rc && !wait->woken && rv_rd_queue_bells_are_stale(&wait->queues);
    rv_rd_queue_bells_release(wait->store, &wait->queues);
    return rc;
}

static int wait_sorted(struct wait *wait, int64_t timeout_ms, struct rv_error *err) {
    wait->seen_ms = rv_clock_boot_ms(&rv_clock_real);
    wait->deadline_ms = rv_time_add(wait->seen_ms, timeout_ms);
    int rc = 0;
    bool anew = true;
    for (int turn = 0; !rc && anew && turn < ANEW_MAX; turn++)
        rc = wait_once(wait, timeout_ms > 0, &anew, err);
    rv_rd_ear_forget_wake(&wait->store->ear); /* a wake is for this wait */
    return rv_rd_only_asked(rc, err);
}

int rv_rd_wait(struct rv_store *s, struct rv_bell *bells, size_t count, int64_t timeout_ms,
               struct rv_error *err) {
    struct rv_bell *sorted = calloc(count + 1, sizeof *sorted);
    if (!sorted) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    size_t counts[KINDS];
    sort_bells(bells, count, sorted, counts);
    struct rv_bell *names = sorted + counts[QUEUE], *groups = names + counts[NAME];
    struct wait wait = {.store = (struct rv_rd *)s,
                        .failovers = atomic_load(&((struct rv_rd *)s)->topology.failovers),
                        .queues = {.bells = sorted, .count = counts[QUEUE]},
                        .names = {names, counts[NAME]},
                        .groups = {groups, counts[GROUP]},
                        .ends = {groups + counts[GROUP], counts[END]}};
    int rc = wait_sorted(&wait, timeout_ms, err);
    put_back(sorted, counts, bells, count);
    free(sorted);
    return rc;
}

void rv_rd_wake(struct rv_store *s) {
    rv_rd_ear_wake(&((struct rv_rd *)s)->ear);
}
