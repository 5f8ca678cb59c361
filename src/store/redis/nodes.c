#include "store/redis/nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRIAL_MS_MIN = 250, /* for a connection and its greeting */
    TRIAL_MS_MAX = 1000,
    REST_PER_TRIAL = 5, /* so that one that is slow takes a sixth of the time at most */
};

/* Nothing is written while all is as it was: every call comes by here. */
void rv_rd_target_answered(const struct rv_rd_target *target) {
    if (!target->seen) return;
    if (!atomic_load(&target->seen->silent_ms) && !atomic_load(&target->seen->stalls)) return;
    atomic_store(&target->seen->silent_ms, 0);
    atomic_store(&target->seen->stalls, 0);
    atomic_store(&target->seen->rests_until_ms, 0);
    rv_rd_probe_close(&target->seen->probe);
}

void rv_rd_target_silent(const struct rv_rd_target *target, int64_t now_ms) {
    int64_t never = 0;
    if (target->seen)
        (void)atomic_compare_exchange_strong(&target->seen->silent_ms, &never, now_ms);
}

bool rv_rd_target_is_silent(const struct rv_rd_target *target) {
    return target->seen && atomic_load(&target->seen->silent_ms);
}

int64_t rv_rd_target_trial_ms(const struct rv_rd_target *target) {
    unsigned stalls = target->seen ? atomic_load(&target->seen->stalls) : 0;
    int64_t ms = stalls ? TRIAL_MS_MIN : 0;
    for (; stalls > 1 && ms < TRIAL_MS_MAX; stalls--)
        ms *= 2;
    return ms;
}

void rv_rd_target_stalled(const struct rv_rd_target *target, int64_t now_ms) {
    rv_rd_target_silent(target, now_ms);
    if (!target->seen || now_ms < atomic_load(&target->seen->rests_until_ms)) return;
    (void)atomic_fetch_add(&target->seen->stalls, 1);
    int64_t rest_ms = REST_PER_TRIAL * rv_rd_target_trial_ms(target);
    atomic_store(&target->seen->rests_until_ms, now_ms + rest_ms);
    (void)rv_rd_probe_look(&target->seen->probe, target, now_ms); /* it may answer meanwhile */
}

bool rv_rd_target_rests(const struct rv_rd_target *target, int64_t now_ms) {
    int64_t until_ms = target->seen ? atomic_load(&target->seen->rests_until_ms) : 0;
    if (!until_ms || now_ms < until_ms) return until_ms;
    if (!rv_rd_probe_look(&target->seen->probe, target, now_ms)) return true;
    return !atomic_compare_exchange_strong(&target->seen->rests_until_ms, &until_ms,
                                           now_ms + rv_rd_target_trial_ms(target));
}

void rv_rd_target_greeted(const struct rv_rd_target *target, bool refuses) {
    if (target->seen) atomic_store(&target->seen->refuses, refuses);
}

bool rv_rd_target_refuses(const struct rv_rd_target *target) {
    return target->seen && atomic_load(&target->seen->refuses);
}

static const struct rv_rd_target *find(const struct rv_rd_nodes *nodes, const char *host,
                                       const char *port) {
    for (const struct rv_rd_node *node = nodes->first; node; node = node->next)
        if (strcmp(node->target.host, host) == 0 && strcmp(node->target.port, port) == 0)
            return &node->target;
    return NULL;
}

static struct rv_rd_node *make(const struct rv_rd_nodes *nodes, const char *host,
                               const char *port) {
    size_t host_size = strlen(host) + 1, port_size = strlen(port) + 1;
    size_t shown_size = strlen(nodes->kind) + 1 + host_size + port_size;
    struct rv_rd_node *node = malloc(sizeof *node + host_size + port_size + shown_size);
    if (!node) return NULL;
    char *own_port = node->text + host_size, *shown = own_port + port_size;
    memcpy(node->text, host, host_size);
    memcpy(own_port, port, port_size);
    (void)snprintf(shown, shown_size, "%s %s:%s", nodes->kind, host, port);
    node->target = nodes->like;
    node->target.host = node->text;
    node->target.port = own_port;
    node->target.path = NULL;
    node->target.shown = shown;
    atomic_init(&node->seen.silent_ms, 0);
    atomic_init(&node->seen.followed, false);
    atomic_init(&node->seen.stalls, 0);
    atomic_init(&node->seen.rests_until_ms, 0);
    atomic_init(&node->seen.refuses, false);
    rv_rd_probe_init(&node->seen.probe);
    node->target.seen = &node->seen;
    return node;
}

const struct rv_rd_target *rv_rd_nodes_get(struct rv_rd_nodes *nodes, const char *host,
                                           const char *port) {
    const struct rv_rd_target *known = find(nodes, host, port);
    if (known) return known;
    struct rv_rd_node *node = make(nodes, host, port);
    if (!node) return NULL;
    node->next = nodes->first;
    nodes->first = node;
    nodes->count++;
    return &node->target;
}

void rv_rd_nodes_release(struct rv_rd_nodes *nodes) {
    while (nodes->first) {
        struct rv_rd_node *next = nodes->first->next;
        rv_rd_probe_close(&nodes->first->seen.probe);
        free(nodes->first);
        nodes->first = next;
    }
    nodes->count = 0;
}
