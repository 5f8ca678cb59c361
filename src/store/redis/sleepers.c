#include "store/redis/sleepers.h"

#include <poll.h>
#include <stdlib.h>

#include "store/redis/call.h"

enum {
    AWAY_MS = 1000, /* before a node that was away is tried again */
    AGAIN_MS = 20,  /* between two tries to be unblocked */
};

static bool in_cluster(const struct rv_rd *store) {
    return store->topology.shape == RV_RD_CLUSTER;
}

void rv_rd_sleepers_close(struct rv_rd_sleepers *sleepers) {
    for (size_t i = 0; i < RV_RD_SLEEPERS_MAX; i++)
        rv_rd_bell_close(&sleepers->all[i].bell);
}

/* ---- falling asleep ---- */
static bool is_slept_on(const struct rv_rd_sleepers *sleepers, size_t place) {
    for (size_t i = 0; i < RV_RD_SLEEPERS_MAX; i++)
        if (sleepers->all[i].bell.asleep && sleepers->all[i].place == place) return true;
    return false;
}

/* The next shard on whose bell nobody sleeps; there is one. */
static size_t next_place(struct rv_rd_sleepers *sleepers, size_t count) {
    size_t place;
    do
        place = sleepers->turn++ % count;
    while (is_slept_on(sleepers, place));
    return place;
}

static void try_later(struct rv_rd_sleeper *sleeper, struct rv_rd *store) {
    sleeper->not_before_ms = rv_clock_boot_ms(&rv_clock_real) + AWAY_MS;
    rv_rd_topology_doubt(&store->topology, 0);
}

int rv_rd_sleepers_sleep(struct rv_rd_sleepers *sleepers, struct rv_rd *store,
                         const struct rv_rd_shard *shards, size_t count, struct rv_error *err) {
    if (!in_cluster(store))
        return rv_rd_bell_sleep(&sleepers->all[0].bell, store, shards, count, err);
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real);
    for (size_t i = 0; i < RV_RD_SLEEPERS_MAX && i < count; i++) {
        struct rv_rd_sleeper *sleeper = &sleepers->all[i];
        if (sleeper->bell.asleep || now_ms < sleeper->not_before_ms) continue;
        sleeper->place = next_place(sleepers, count);
        int rc = rv_rd_bell_sleep(&sleeper->bell, store, &shards[sleeper->place], 1, err);
        if (rc == REEVE_ENOMEM) return rc;
        if (rc) try_later(sleeper, store);
    }
    return 0;
}

/* ---- waking up ---- */
int rv_rd_sleepers_look(struct rv_rd_sleepers *sleepers, struct rv_rd *store, size_t i,
                        struct rv_rd_ring *out, struct rv_error *err) {
    struct rv_rd_sleeper *sleeper = &sleepers->all[i];
    int rc = rv_rd_bell_look(&sleeper->bell, out, err);
    if (!rc || !in_cluster(store) || rc == REEVE_ENOMEM) return rc;
    try_later(sleeper, store);
    return 0;
}

struct unblocking {
    const char *words[3];
    struct rv_rd_command command;
    redisReply *reply;
    struct rv_rd_bell *bell;
};

static size_t prepare(struct rv_rd_sleepers *sleepers, struct unblocking *all,
                      struct rv_rd_ask *asks, struct pollfd *fds) {
    size_t count = 0;
    for (size_t i = 0; i < RV_RD_SLEEPERS_MAX; i++) {
        struct rv_rd_bell *bell = &sleepers->all[i].bell;
        if (!bell->asleep) continue;
        struct unblocking *one = &all[count];
        *one = (struct unblocking){.words = {"CLIENT", "UNBLOCK", bell->client_id}, .bell = bell};
        one->command = (struct rv_rd_command){.argc = 3, .argv = one->words};
        asks[count] = (struct rv_rd_ask){.node = bell->conn->target,
                                         .commands = &one->command,
                                         .count = 1,
                                         .replies = &one->reply,
                                         .harmless = true,
                                         .once = true,
                                         .brief = true,
                                         .spare = true};
        fds[count] = (struct pollfd){.fd = rv_rd_conn_fd(bell->conn), .events = POLLIN};
        count++;
    }
    return count;
}

/* The server may not have read our BLPOP yet, and then cannot unblock it: the caller tries again.
 * Who cannot be unblocked is left: at worst a bell is lost, and somebody looks later. */
bool rv_rd_sleepers_unblock(struct rv_rd_sleepers *sleepers, struct rv_rd *store) {
    struct unblocking all[RV_RD_SLEEPERS_MAX];
    struct pollfd fds[RV_RD_SLEEPERS_MAX];
    struct rv_rd_ask *asks = calloc(RV_RD_SLEEPERS_MAX, sizeof *asks);
    if (!asks) {
        rv_rd_sleepers_close(sleepers);
        return false;
    }
    size_t count = prepare(sleepers, all, asks, fds);
    if (count) rv_rd_call_many(store, asks, count, store->timeout_ms);
    if (count) (void)poll(fds, count, AGAIN_MS);
    for (size_t i = 0; i < count; i++) {
        rv_rd_replies_free(&all[i].reply, 1);
        if (asks[i].rc || !*all[i].bell->client_id) rv_rd_bell_close(all[i].bell);
    }
    free(asks);
    return count;
}
