#include "store/redis/sentinel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "store/redis/errors.h"
#include "store/redis/pool.h"

/* For one of them: there are others. One that stands still takes connections, and never answers: it
 * is waited for only if most do not name a primary that is one. */
enum { QUICK_MS = 200, TRY_MS = 1000 };

/* What all of them have said, the best first. */
struct answers {
    struct rv_rd_named all[RV_RD_HOSTS_MAX];
    size_t count;
    bool heard[RV_RD_HOSTS_MAX]; /* of each Sentinel: it need not be asked again */
    size_t voters;
};

/* ---- reading ---- */
static bool is_text(const redisReply *reply) {
    return reply->type == REDIS_REPLY_STRING;
}

/* The value of a field in { name, value, name, value, ... } */
static long long number_of(const redisReply *fields, const char *name) {
    if (fields->type != REDIS_REPLY_ARRAY) return 0;
    for (size_t i = 0; i + 1 < fields->elements; i += 2) {
        const redisReply *field = fields->element[i], *value = fields->element[i + 1];
        if (is_text(field) && is_text(value) && strcmp(field->str, name) == 0)
            return strtoll(value->str, NULL, 10);
    }
    return 0;
}

bool rv_rd_named_parse(const redisReply *address, const redisReply *about,
                       struct rv_rd_named *out) {
    if (address->type != REDIS_REPLY_ARRAY || address->elements != 2) return false;
    const redisReply *host = address->element[0], *port = address->element[1];
    if (!is_text(host) || !is_text(port) || !host->len || host->len >= sizeof out->at.host ||
        !port->len || port->len >= sizeof out->at.port)
        return false;
    (void)snprintf(out->at.host, sizeof out->at.host, "%s", host->str);
    (void)snprintf(out->at.port, sizeof out->at.port, "%s", port->str);
    out->epoch = number_of(about, "config-epoch");
    out->votes = 1;
    return true;
}

bool rv_rd_is_primary(const redisReply *role) {
    return role->type == REDIS_REPLY_ARRAY && role->elements && is_text(role->element[0]) &&
           strcmp(role->element[0]->str, "master") == 0;
}

/* ---- asking ---- */
static int64_t sooner(int64_t deadline_ms, int64_t patience_ms) {
    int64_t try_ms = rv_clock_boot_ms(&rv_clock_real) + patience_ms;
    return try_ms < deadline_ms ? try_ms : deadline_ms;
}

/* Sends count commands to one server. */
static int ask(struct rv_rd_topology *topology, const struct rv_rd_target *server,
               const struct rv_rd_command *commands, size_t count, int64_t try_ms,
               redisReply **replies, struct rv_error *err) {
    struct rv_rd_conn *conn;
    int rc = rv_rd_pool_take(topology->pool, server, try_ms, &conn, err);
    atomic_store(&topology->refused, rc && rv_rd_target_refuses(server));
    if (rc) return rc;
    rc = rv_rd_conn_ask(conn, commands, count, replies, try_ms, err);
    rv_rd_pool_give(topology->pool, conn);
    return rc;
}

static bool is_better(const struct rv_rd_named *one, const struct rv_rd_named *other) {
    if (one->epoch != other->epoch) return one->epoch > other->epoch;
    return one->votes > other->votes;
}

static void count_answer(struct answers *answers, const struct rv_rd_named *named) {
    size_t i = 0;
    while (i < answers->count && (strcmp(answers->all[i].at.host, named->at.host) != 0 ||
                                  strcmp(answers->all[i].at.port, named->at.port) != 0))
        i++;
    if (i == answers->count) {
        answers->all[answers->count++] = *named;
    } else {
        answers->all[i].votes++;
        if (named->epoch > answers->all[i].epoch) answers->all[i].epoch = named->epoch;
    }
    for (; i > 0 && is_better(&answers->all[i], &answers->all[i - 1]); i--) {
        struct rv_rd_named better = answers->all[i];
        answers->all[i] = answers->all[i - 1];
        answers->all[i - 1] = better;
    }
}

/* It has been told of others, and of this one it will not be told soon. */
static int fail_unnamed(struct rv_rd_topology *topology, const struct rv_rd_target *sentinel,
                        struct rv_error *err) {
    atomic_store(&topology->refused, true);
    return rv_fail(err, REEVE_EUNREACHABLE, "%s: it knows no primary '%s'", sentinel->shown,
                   topology->name);
}

static int ask_sentinel(struct rv_rd_topology *topology, const struct rv_rd_target *sentinel,
                        int64_t try_ms, struct answers *answers, struct rv_error *err) {
    const char *const address[] = {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", topology->name};
    const char *const about[] = {"SENTINEL", "MASTER", topology->name};
    const struct rv_rd_command commands[] = {{.argc = 3, .argv = address},
                                             {.argc = 3, .argv = about}};
    redisReply *replies[2];
    struct rv_rd_named named;
    int rc = ask(topology, sentinel, commands, 2, try_ms, replies, err);
    if (rc) return rc;
    if (rv_rd_named_parse(replies[0], replies[1], &named))
        count_answer(answers, &named);
    else if (replies[0]->type == REDIS_REPLY_ERROR)
        rc = rv_rd_error_fail(sentinel->shown, replies[0]->str, err);
    else
        rc = fail_unnamed(topology, sentinel, err);
    freeReplyObject(replies[0]);
    freeReplyObject(replies[1]);
    return rc;
}

/* ---- the primary ---- */
static int verify(struct rv_rd_topology *topology, const struct rv_rd_target *server,
                  int64_t deadline_ms, struct rv_error *err) {
    static const char *const words[] = {"ROLE"};
    const struct rv_rd_command command = {.argc = 1, .argv = words};
    redisReply *reply;
    int rc = ask(topology, server, &command, 1, sooner(deadline_ms, TRY_MS), &reply, err);
    if (rc) return rc;
    if (reply->type == REDIS_REPLY_ERROR)
        rc = rv_rd_error_fail(server->shown, reply->str, err);
    else if (!rv_rd_is_primary(reply))
        rc = rv_fail(err, REEVE_EUNREACHABLE, "%s: the Sentinels name it, and it is no primary",
                     server->shown);
    freeReplyObject(reply);
    return rc;
}

static int try_answer(struct rv_rd_topology *topology, const struct rv_rd_named *named,
                      int64_t deadline_ms, struct rv_error *err) {
    const struct rv_rd_target **owners = calloc(1, sizeof(*owners));
    if (!owners) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    (void)pthread_mutex_lock(&topology->lock);
    *owners = rv_rd_nodes_get(&topology->nodes, named->at.host, named->at.port);
    (void)pthread_mutex_unlock(&topology->lock);
    int rc = *owners ? verify(topology, *owners, deadline_ms, err)
                     : rv_fail(err, REEVE_ENOMEM, "out of memory");
    if (rc)
        free(owners);
    else
        rv_rd_topology_install(topology, owners, NULL);
    return rc;
}

/* Asks those that were not heard yet. An error is that of the last that did not answer. */
static int ask_rest(struct rv_rd_topology *topology, int64_t deadline_ms, int64_t patience_ms,
                    struct answers *answers, struct rv_error *err) {
    const struct rv_rd_node *node = topology->sentinels.first;
    int rc = 0;
    for (size_t i = 0; node; node = node->next, i++) {
        if (answers->heard[i]) continue;
        int64_t try_ms = sooner(deadline_ms, patience_ms);
        int one = ask_sentinel(topology, &node->target, try_ms, answers, err);
        answers->heard[i] = !one;
        answers->voters += !one;
        if (one) rc = one;
    }
    return rc;
}

static int try_answers(struct rv_rd_topology *topology, int64_t deadline_ms,
                       const struct answers *answers, struct rv_error *err) {
    int rc = REEVE_EUNREACHABLE;
    for (size_t i = 0; rc && i < answers->count; i++)
        rc = try_answer(topology, &answers->all[i], deadline_ms, err);
    return rc;
}

int rv_rd_sentinel_look(struct rv_rd_topology *topology, int64_t deadline_ms,
                        struct rv_error *err) {
    struct answers answers = {.count = 0};
    (void)ask_rest(topology, deadline_ms, QUICK_MS, &answers, err);
    size_t voters = answers.voters;
    if (voters > topology->sentinels.count / 2) {
        int found = try_answers(topology, deadline_ms, &answers, err);
        if (!found || voters == topology->sentinels.count) return found;
    }
    int64_t half_ms = (deadline_ms - rv_clock_boot_ms(&rv_clock_real)) / 2; /* for them */
    int rc = ask_rest(topology, sooner(deadline_ms, half_ms), TRY_MS, &answers, err);
    return answers.count ? try_answers(topology, deadline_ms, &answers, err) : rc;
}
