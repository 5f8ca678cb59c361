/* The doctor: the nodes of a cluster, the Sentinels, and what a fail-over may cost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/redis/call.h"
#include "store/redis/examine.h"
#include "store/redis/fitness.h"
#include "store/redis/sentinel.h"

enum { VALUE_SIZE = 64, WORDS_MAX = 3 };

/* Asks one server once, unless it is known to stand still. The answer is the caller's to free;
 * NULL: there is none. */
static redisReply *ask(const struct rv_rd_exam *exam, const struct rv_rd_target *node,
                       const char *const words[WORDS_MAX]) {
    int argc = 0;
    while (argc < WORDS_MAX && words[argc])
        argc++;
    const struct rv_rd_command command = {.argc = argc, .argv = words};
    redisReply *reply = NULL;
    struct rv_rd_ask ask = {.node = node,
                            .commands = &command,
                            .count = 1,
                            .replies = &reply,
                            .harmless = true,
                            .once = true,
                            .spare = true};
    rv_rd_call_many(exam->store, &ask, 1, exam->store->timeout_ms);
    return reply;
}

static const char *text_of(const redisReply *reply) {
    return reply && reply->type == REDIS_REPLY_STRING ? reply->str : "";
}

/* ---- a cluster ---- */
/* Slots on their way to or from the node: "[93-<-ID]" and "[93->-ID]" in its own line. */
static size_t count_moving(const char *nodes) {
    const char *line = strstr(nodes, "myself"), *end = line ? line + strcspn(line, "\n") : NULL;
    size_t count = 0;
    for (const char *at = line; at && at < end; at++)
        count += *at == '[';
    return count;
}

static void examine_node(struct rv_rd_exam *exam, const struct rv_rd_target *node) {
    char state[VALUE_SIZE], slots[VALUE_SIZE], replicas[VALUE_SIZE];
    redisReply *info = ask(exam, node, (const char *[WORDS_MAX]){"CLUSTER", "INFO"});
    redisReply *nodes =
        info ? ask(exam, node, (const char *[WORDS_MAX]){"CLUSTER", "NODES"}) : NULL;
    redisReply *replication =
        info ? ask(exam, node, (const char *[WORDS_MAX]){"INFO", "replication"}) : NULL;
    rv_rd_info_value(text_of(info), "cluster_state", state, sizeof state);
    rv_rd_info_value(text_of(info), "cluster_slots_assigned", slots, sizeof slots);
    rv_rd_info_value(text_of(replication), "connected_slaves", replicas, sizeof replicas);
    size_t moving = count_moving(text_of(nodes));
    if (!*state)
        rv_find(&exam->book, REEVE_BAD, "cluster", "%s: it does not answer", node->shown);
    else if (strcmp(state, "ok") != 0 && moving)
        rv_find(&exam->book, REEVE_BAD, "cluster",
                "%s: cluster_state %s, and %zu slots are on the move: if the node that they come "
                "from is gone, tell it CLUSTER SETSLOT N STABLE, and begin the move again with the "
                "one that followed before anybody uses the queues in them (docs/redis.md)",
                node->shown, state, moving);
    else if (strcmp(state, "ok") != 0 || atoi(slots) != RV_RD_SLOTS)
        rv_find(&exam->book, REEVE_BAD, "cluster", "%s: cluster_state %s, %s of %d slots are kept",
                node->shown, state, slots, RV_RD_SLOTS);
    else if (moving)
        rv_find(&exam->book, REEVE_DOUBTFUL, "cluster",
                "%s: %zu slots are on the move; a queue in one of them waits until all its keys "
                "are there: bring the move to its end (not by `--cluster fix` under load)",
                node->shown, moving);
    else if (atoi(replicas) == 0)
        rv_find(&exam->book, REEVE_DOUBTFUL, "cluster",
                "%s: it has no replica: if it ends, its queues are away until it is back",
                node->shown);
    else
        rv_find(&exam->book, REEVE_FINE, "cluster", "%s: all slots are kept, %s replicas",
                node->shown, replicas);
    freeReplyObject(replication);
    freeReplyObject(nodes);
    freeReplyObject(info);
}

static void examine_cluster(struct rv_rd_exam *exam) {
    const struct rv_rd_target *node;
    for (size_t i = 0; (node = rv_rd_topology_primary(&exam->store->topology, i)); i++)
        examine_node(exam, node);
}

/* ---- Sentinels ---- */
static void examine_sentinel(struct rv_rd_exam *exam, const struct rv_rd_target *sentinel,
                             const struct rv_rd_target *primary) {
    const char *name = exam->store->topology.name;
    struct rv_rd_named named;
    redisReply *address =
        ask(exam, sentinel, (const char *[WORDS_MAX]){"SENTINEL", "GET-MASTER-ADDR-BY-NAME", name});
    redisReply *quorum =
        ask(exam, sentinel, (const char *[WORDS_MAX]){"SENTINEL", "CKQUORUM", name});
    bool known = address && rv_rd_named_parse(address, address, &named);
    bool agrees = known && primary && strcmp(named.at.host, primary->host) == 0 &&
                  strcmp(named.at.port, primary->port) == 0;
    if (!address)
        rv_find(&exam->book, REEVE_DOUBTFUL, "sentinels", "%s: it does not answer",
                sentinel->shown);
    else if (!known)
        rv_find(&exam->book, REEVE_BAD, "sentinels", "%s: it knows no primary '%s'",
                sentinel->shown, name);
    else if (!agrees)
        rv_find(&exam->book, REEVE_BAD, "sentinels", "%s: it names %s:%s, and %s is in use",
                sentinel->shown, named.at.host, named.at.port,
                primary ? primary->shown : "no server");
    else
        rv_find(&exam->book, quorum ? REEVE_FINE : REEVE_BAD, "sentinels",
                "%s: it names the primary that is in use, and %s", sentinel->shown,
                quorum ? "enough others answer it for a fail-over"
                       : "too few others answer it for a fail-over");
    freeReplyObject(quorum);
    freeReplyObject(address);
}

static void examine_sentinels(struct rv_rd_exam *exam) {
    struct rv_rd_topology *topology = &exam->store->topology;
    const struct rv_rd_target *primary = rv_rd_topology_primary(topology, 0);
    for (const struct rv_rd_node *node = topology->sentinels.first; node; node = node->next)
        examine_sentinel(exam, &node->target, primary);
}

/* ---- what a fail-over costs ---- */
static void tell_loss(struct rv_rd_exam *exam) {
    unsigned replicas = exam->store->url.wait_replicas;
    rv_find(
        &exam->book, REEVE_FINE, "failover",
        "a server that ends takes with it what its replicas had not heard of: the latest "
        "moment's pushes are gone unless the process that made them lives and makes them again, "
        "and jobs that were finished then run again; a server that is cut off goes on for "
        "min-replicas-max-lag if min-replicas-to-write is set, and else until it is back, and "
        "what it took meanwhile is lost likewise");
    if (replicas)
        rv_find(
            &exam->book, REEVE_FINE, "failover",
            "wait=%u: what was told as sure is lost only if a server follows that is not one of "
            "the %u replicas which have it; what was told as unsure may be lost",
            replicas, replicas);
    else
        rv_find(
            &exam->book, REEVE_FINE, "failover",
            "no wait: whatever is told as pushed or done may be among what is lost; with wait=1 "
            "in the url one replica has it by then");
}

/* Fewer replicas than the url waits for: whatever is asked there is told as unsure. */
static void examine_wait(struct rv_rd_exam *exam, const struct rv_rd_target *node) {
    unsigned least = exam->store->url.wait_replicas;
    char replicas[VALUE_SIZE];
    redisReply *info = ask(exam, node, (const char *[WORDS_MAX]){"INFO", "replication"});
    rv_rd_info_value(text_of(info), "connected_slaves", replicas, sizeof replicas);
    freeReplyObject(info);
    if (*replicas && strtoul(replicas, NULL, 10) < least)
        rv_find(&exam->book, REEVE_BAD, "failover",
                "%s: it has %s replicas, and the url waits for %u of them (wait=%u): no push is "
                "told as sure there, and workers do not get on",
                node->shown, replicas, least, least);
}

static void examine_waits(struct rv_rd_exam *exam) {
    const struct rv_rd_target *node;
    if (!exam->store->url.wait_replicas) return;
    for (size_t i = 0; (node = rv_rd_topology_primary(&exam->store->topology, i)); i++)
        examine_wait(exam, node);
}

int rv_rd_examine_topology(struct rv_rd_exam *exam, struct rv_error *err) {
    (void)err;
    enum rv_rd_shape shape = exam->store->topology.shape;
    examine_waits(exam);
    if (shape == RV_RD_ONE) return 0;
    if (shape == RV_RD_CLUSTER) examine_cluster(exam);
    if (shape == RV_RD_SENTINEL) examine_sentinels(exam);
    tell_loss(exam);
    return 0;
}
