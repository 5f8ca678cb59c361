#include "store/redis/switches.h"

#include <string.h>

#include "base/clock.h"
#include "store/redis/conn.h"
#include "store/redis/topology.h"

enum {
    TRY_MS = 500,     /* for one of them, of the time of who wants to wait */
    APART_MS = 10000, /* between two tries */
};

static const char channel[] = "+switch-master";

void rv_rd_switches_close(struct rv_rd_switches *switches) {
    rv_rd_conn_close(switches->conn);
    switches->conn = NULL;
}

/* ---- listening ---- */
static const struct rv_rd_target *next_sentinel(struct rv_rd_switches *switches,
                                                const struct rv_rd_topology *topology) {
    const struct rv_rd_node *node = topology->sentinels.first;
    for (size_t i = 0; node && i < switches->turn; i++)
        node = node->next;
    if (!node) switches->turn = 0;
    if (!node) node = topology->sentinels.first;
    switches->turn++;
    return &node->target;
}

static int subscribe(struct rv_rd_switches *switches, const struct rv_rd_target *sentinel,
                     int64_t deadline_ms) {
    static const char *const words[] = {"SUBSCRIBE", channel};
    const struct rv_rd_command command = {.argc = 2, .argv = words};
    struct rv_error ignored;
    int rc = rv_rd_conn_open(sentinel, deadline_ms, &switches->conn, &ignored);
    if (!rc) rc = rv_rd_conn_send(switches->conn, &command, 1, deadline_ms, &ignored);
    return rc;
}

void rv_rd_switches_listen(struct rv_rd_switches *switches, const struct rv_rd_topology *topology) {
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real);
    if (topology->shape != RV_RD_SENTINEL || switches->conn) return;
    if (switches->tried_ms && now_ms - switches->tried_ms < APART_MS) return;
    switches->tried_ms = now_ms;
    if (subscribe(switches, next_sentinel(switches, topology), now_ms + TRY_MS))
        rv_rd_switches_close(switches);
}

/* ---- hearing ---- */
/* A message's text: NAME OLD-HOST OLD-PORT NEW-HOST NEW-PORT */
static bool is_about(const redisReply *reply, const char *name) {
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 3) return false;
    const redisReply *kind = reply->element[0], *text = reply->element[2];
    size_t size = strlen(name);
    return kind->str && strcmp(kind->str, "message") == 0 && text->str &&
           strncmp(text->str, name, size) == 0 && text->str[size] == ' ';
}

bool rv_rd_switches_hear(struct rv_rd_switches *switches, struct rv_rd_topology *topology) {
    struct rv_error ignored;
    redisReply *reply = NULL;
    bool heard = false;
    while (switches->conn) {
        if (rv_rd_conn_look(switches->conn, &reply, &ignored)) rv_rd_switches_close(switches);
        if (!switches->conn || !reply) break;
        heard = is_about(reply, topology->name) || heard;
        bool refused = reply->type == REDIS_REPLY_ERROR;
        freeReplyObject(reply);
        if (refused) rv_rd_switches_close(switches);
    }
    if (heard) rv_rd_topology_doubt(topology, 0);
    return heard;
}
