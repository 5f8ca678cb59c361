#include "store/redis/hello.h"

#include <stdio.h>
#include <string.h>

#include "store/redis/errors.h"

enum { COMMANDS_MAX = 4, WORDS_MAX = 3 };

struct said {
    const char *words[COMMANDS_MAX][WORDS_MAX];
    struct rv_rd_command commands[COMMANDS_MAX];
    size_t count;
    size_t name_at; /* which of them names this client: it may be refused */
    char db[16];
};

static void say(struct said *said, const char *first, const char *second, const char *third) {
    const char **words = said->words[said->count];
    words[0] = first;
    words[1] = second;
    words[2] = third;
    said->commands[said->count++] = (struct rv_rd_command){.argc = third    ? 3
                                                                   : second ? 2
                                                                            : 1,
                                                           .argv = words};
}

static void compose(struct said *said, const struct rv_rd_target *target) {
    if (target->user && target->password) say(said, "AUTH", target->user, target->password);
    if (!target->user && target->password) say(said, "AUTH", target->password, NULL);
    (void)snprintf(said->db, sizeof said->db, "%d", target->db);
    if (target->db) say(said, "SELECT", said->db, NULL);
    said->name_at = said->count;
    say(said, "CLIENT", "SETNAME", target->client_name);
    /* Somebody has to answer: a name is nice to have, a server that is still loading is not. */
    say(said, "PING", NULL, NULL);
}

/* No word of ours is repeated here: one of them is the password. */
static int check(const struct rv_rd_target *target, const struct said *said, redisReply **replies,
                 struct rv_error *err) {
    for (size_t i = 0; i < said->count; i++) {
        const redisReply *reply = replies[i];
        if (reply->type != REDIS_REPLY_ERROR || i == said->name_at) continue;
        rv_rd_target_greeted(target, rv_rd_error_find(reply->str)->remedy == RV_RD_FATAL);
        return rv_rd_error_fail(target->shown, reply->str, err);
    }
    rv_rd_target_greeted(target, false);
    return 0;
}

int rv_rd_hello(struct rv_rd_conn *conn, int64_t deadline_ms, struct rv_error *err) {
    struct said said = {.count = 0};
    redisReply *replies[COMMANDS_MAX];
    compose(&said, conn->target);
    int rc = rv_rd_conn_ask(conn, said.commands, said.count, replies, deadline_ms, err);
    if (rc) return rc;
    rc = check(conn->target, &said, replies, err);
    for (size_t i = 0; i < said.count; i++)
        freeReplyObject(replies[i]);
    return rc;
}
