/* failover, mend: what is noticed of servers that take the place of others, and what can be done
 * about what that loses. A push is made again only where the history of the server that keeps it
 * now says that it never had it: one that it had may have been done, and forgotten, since. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/redis/call.h"
#include "store/redis/split.h"

enum {
    SERVERS_MAX = 64, /* that are asked in one pass */
    ASK_MS = 1000,
    AGAIN_MS = 1000,
    STEP = 100,       /* pushes that are made again at once */
    FRESH_MS = 60000, /* a fail-over that pushes which are kept may have to do with */
};

/* ---- noticing ---- */
static void show(char *out, const struct rv_rd_target *target) {
    (void)snprintf(out, RV_ADDRESS_SIZE, "%s:%s", target->host, target->port);
}

bool rv_rd_failover(struct rv_store *s, uint64_t after, struct rv_failover *out) {
    struct rv_rd_topology *topology = &((struct rv_rd *)s)->topology;
    struct rv_rd_failover failover;
    uint64_t count = atomic_load(&topology->failovers);
    uint64_t number = after < count ? after + 1 : 0;
    if (topology->shape == RV_RD_ONE) return false;
    if (number && count - number >= RV_RD_FAILOVERS) number = count - RV_RD_FAILOVERS + 1;
    if (!number || !rv_rd_topology_failover(topology, number, &failover)) return true;
    out->number = number;
    out->at_ms = failover.at_ms;
    out->took_ms = failover.took_ms;
    show(out->from, failover.from);
    show(out->to, failover.to);
    return true;
}

/* ---- who keeps what was pushed, and what has it had? ---- */
struct server {
    const struct rv_rd_target *target;
    redisReply *reply; /* what it tells of its history */
    struct rv_rd_history history;
    bool known;
};

struct mend {
    struct rv_rd *store;
    int64_t deadline_ms;
    struct rv_list pushes, lost;
    struct server servers[SERVERS_MAX];
    size_t count;
    bool fresh;                   /* there was a fail-over, not long ago */
    size_t made, unsure, refused; /* of the lost */
    size_t unclear;               /* perhaps lost, and not made again */
};

static struct rv_rd_recent_push *push_of(struct rv_list *link) {
    return rv_container_of(link, struct rv_rd_recent_push, link);
}

static const struct rv_rd_target *home_of(const struct mend *mend, const struct rv_new_job *job) {
    struct rv_rd_split split;
    struct rv_error ignored;
    const struct rv_rd_target *target;
    (void)rv_rd_splits_find(&mend->store->splits, job->queue, &split);
    struct rv_rd_shard shard = rv_rd_split_shard(&split, rv_rd_split_home(&split, job->id));
    bool found = !rv_rd_find(mend->store, &shard, mend->deadline_ms, &target, &ignored);
    return found ? target : NULL;
}

static struct server *find_server(struct mend *mend, const struct rv_rd_target *target) {
    for (size_t i = 0; i < mend->count; i++)
        if (mend->servers[i].target == target) return &mend->servers[i];
    return NULL;
}

static void list_servers(struct mend *mend) {
    for (struct rv_list *at = mend->pushes.next; at != &mend->pushes; at = at->next) {
        const struct rv_rd_target *target = home_of(mend, &push_of(at)->job);
        if (!target || mend->count == SERVERS_MAX || find_server(mend, target)) continue;
        mend->servers[mend->count++] = (struct server){.target = target};
    }
}

static void ask_servers(struct mend *mend) {
    static const char *const words[] = {"INFO", "replication"};
    static const struct rv_rd_command command = {.argc = 2, .argv = words};
    struct rv_rd_ask asks[SERVERS_MAX];
    for (size_t i = 0; i < mend->count; i++)
        asks[i] = (struct rv_rd_ask){.node = mend->servers[i].target,
                                     .commands = &command,
                                     .count = 1,
                                     .replies = &mend->servers[i].reply,
                                     .harmless = true,
                                     .once = true};
    if (mend->count) rv_rd_call_many(mend->store, asks, mend->count, ASK_MS);
    for (size_t i = 0; i < mend->count; i++) {
        struct server *server = &mend->servers[i];
        server->known = !asks[i].rc && server->reply->type == REDIS_REPLY_STRING &&
                        rv_rd_history_read(server->reply->str, &server->history);
        rv_rd_replies_free(&server->reply, 1);
    }
}

/* ---- each push ---- */
/* Every replica that is there has it, and one that was away has had time to come back. */
static bool is_safe(const struct rv_rd_recent_push *push, const struct rv_rd_history *history,
                    int64_t now_ms) {
    return history->passed_on > push->before.offset && now_ms - push->at_ms > RV_RD_RECENT_MS;
}

/* Leaves it where it is, puts it among the lost, or forgets it. */
static void judge(struct mend *mend, struct rv_rd_recent_push *push, const struct server *server,
                  int64_t now_ms) {
    enum rv_rd_standing stands = rv_rd_history_standing(&server->history, &push->before);
    bool followed = atomic_load(&server->target->seen->followed);
    if (stands == RV_RD_STANDING_SAME && !is_safe(push, &server->history, now_ms)) return;
    if (stands == RV_RD_STANDING_COMMON) { /* from here on it is of this server's own */
        (void)snprintf(push->before.history, sizeof push->before.history, "%s",
                       server->history.now.history);
        return;
    }
    rv_list_remove(&push->link);
    mend->unclear += stands == RV_RD_STANDING_UNKNOWN && mend->fresh;
    if (stands == RV_RD_STANDING_LOST && followed)
        rv_list_add_tail(&mend->lost, &push->link);
    else
        free(push);
}

static void judge_all(struct mend *mend) {
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real);
    for (struct rv_list *at = mend->pushes.next, *next; at != &mend->pushes; at = next) {
        next = at->next;
        const struct rv_rd_target *home = home_of(mend, &push_of(at)->job);
        const struct server *server = home ? find_server(mend, home) : NULL;
        if (server && server->known) judge(mend, push_of(at), server, now_ms);
    }
}

/* ---- once more ---- */
/* The first of the lost that are of one queue, taken out. */
static size_t take_step(struct mend *mend, struct rv_rd_recent_push **out) {
    size_t count = 0;
    while (count < STEP && !rv_list_empty(&mend->lost)) {
        struct rv_rd_recent_push *push = push_of(mend->lost.next);
        if (count && strcmp(push->job.queue, out[0]->job.queue) != 0) break;
        rv_list_remove(&push->link);
        out[count++] = push;
    }
    return count;
}

/* One that may have been made, and is forgotten once it is done, would be done again. */
static bool may_repeat(const struct rv_rd_recent_push *push, int rc) {
    return rc == REEVE_EUNREACHABLE || (rc == REEVE_EUNSURE && push->job.policy.keep_ms > 0);
}

static void settle(struct mend *mend, struct rv_rd_recent_push *push, int rc,
                   struct rv_pushed *out) {
    free(out->done);
    if (may_repeat(push, rc)) {
        rv_list_add_tail(&mend->pushes, &push->link);
        return;
    }
    mend->made += !rc && !out->error;
    mend->unsure += rc == REEVE_EUNSURE;
    mend->refused += (rc && rc != REEVE_EUNSURE) || (!rc && out->error);
    free(push);
}

static int push_step(struct mend *mend, struct rv_error *err) {
    struct rv_rd_recent_push *pushes[STEP];
    struct rv_new_job jobs[STEP];
    struct rv_pushed outs[STEP] = {{0}};
    const char *queue = push_of(mend->lost.next)->job.queue;
    size_t count = take_step(mend, pushes);
    for (size_t i = 0; i < count; i++)
        jobs[i] = pushes[i]->job;
    int rc = rv_rd_push(&mend->store->base, queue, jobs, count, INT64_MAX, outs, err);
    for (size_t i = 0; i < count; i++)
        settle(mend, pushes[i], rc ? rc : outs[i].error, &outs[i]);
    return rc == REEVE_EUNREACHABLE || rc == REEVE_EUNSURE ? rc : 0;
}

static int push_lost(struct mend *mend, struct rv_error *err) {
    int rc = 0;
    while (!rc && !rv_list_empty(&mend->lost))
        rc = push_step(mend, err);
    for (struct rv_list *link; (link = rv_list_pop(&mend->lost));) /* not sent */
        rv_list_add_tail(&mend->pushes, link);
    return rc;
}

static bool is_fresh(struct rv_rd_topology *topology) {
    struct rv_rd_failover latest;
    return rv_rd_topology_failover(topology, atomic_load(&topology->failovers), &latest) &&
           rv_clock_wall_ms(&rv_clock_real) - latest.at_ms < FRESH_MS;
}

static void tell(const struct mend *mend) {
    if (mend->unclear)
        rv_log(mend->store->log, REEVE_LOG_WARN, "store.unclear",
               "pushes=%zu reason=\"the server that has their queue now cannot tell whether they "
               "were lost; they are not made again\"",
               mend->unclear);
    if (!mend->made && !mend->unsure && !mend->refused) return;
    rv_log(
        mend->store->log, REEVE_LOG_WARN, "store.resent",
        "pushes=%zu unsure=%zu refused=%zu forgotten=%llu reason=\"the server that took over had "
        "never heard of them\"",
        mend->made, mend->unsure, mend->refused,
        (unsigned long long)rv_rd_recent_dropped(&mend->store->recent));
}

int rv_rd_mend(struct rv_store *s, int64_t *again_in_ms, struct rv_error *err) {
    struct mend mend = {.store = (struct rv_rd *)s};
    if (mend.store->topology.shape == RV_RD_ONE) return 0;
    mend.deadline_ms = rv_clock_boot_ms(&rv_clock_real) + mend.store->timeout_ms;
    rv_list_init(&mend.lost);
    rv_rd_recent_take(&mend.store->recent, &mend.pushes);
    if (!rv_list_empty(&mend.pushes))
        rv_rd_topology_refresh(&mend.store->topology, mend.deadline_ms);
    mend.fresh = is_fresh(&mend.store->topology);
    list_servers(&mend);
    ask_servers(&mend);
    judge_all(&mend);
    int rc = push_lost(&mend, err);
    tell(&mend);
    rv_rd_recent_put_back(&mend.store->recent, &mend.pushes);
    *again_in_ms = rv_rd_recent_is_empty(&mend.store->recent) ? -1 : AGAIN_MS;
    return rc;
}
