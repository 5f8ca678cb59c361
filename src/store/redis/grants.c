#include "store/redis/grants.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "store/redis/record.h"
#include "store/redis/script.h"
#include "store/redis/space.h"

enum { HOLDER_SIZE = 8, TOKEN_SIZE = RV_RD_LEASE_SIZE - HOLDER_SIZE, NUMBER_SIZE = 24 };

void rv_rd_grant_name(enum rv_grant_kind kind, const char *name, char *out) {
    (void)snprintf(out, RV_RD_GRANT_NAME_SIZE, "%d%s", (int)kind, name);
}

/* ---- asking ---- */
/* What a script is asked, and room for what of it is made for the purpose. */
struct question {
    char name[RV_RD_GRANT_NAME_SIZE];
    unsigned char lease[RV_RD_LEASE_SIZE]; /* the holder is its first part, the token the other */
    char numbers[3][NUMBER_SIZE];
    struct rv_rd_space_script script;
};

static struct rv_bytes text(const char *string) {
    return (struct rv_bytes){string, strlen(string)};
}

static struct rv_bytes number(char *room, int64_t value) {
    (void)snprintf(room, NUMBER_SIZE, "%" PRId64, value);
    return text(room);
}

static void set_script(struct question *question, enum rv_redis_lua which, int64_t timeout_ms) {
    question->script = (struct rv_rd_space_script){
        .which = which,
        .keys = {"grants", "grants_by_name", "grants_until", "line", "tickets", "tickets_until"},
        .key_count = 6,
        .timeout_ms = timeout_ms};
}

static void add(struct question *question, struct rv_bytes bytes) {
    question->script.args[question->script.arg_count++] = bytes;
}

/* About one name: the first argument of every script but the one that renews. */
static void set_name(struct question *question, enum rv_grant_kind kind, const char *name) {
    rv_rd_grant_name(kind, name, question->name);
    add(question, text(question->name));
}

static struct rv_bytes holder_of(struct question *question, uint64_t holder) {
    rv_rd_lease_pack(question->lease, holder, 0);
    return (struct rv_bytes){question->lease, HOLDER_SIZE};
}

static int fail_answer(const struct rv_rd *store, struct rv_error *err) {
    return rv_fail(err, REEVE_ECORRUPT, "space %s: what is known of a name cannot be read",
                   store->space);
}

/* A script that could not begin says why. */
static int judge(const struct rv_rd *store, const redisReply *reply, struct rv_error *err) {
    int version;
    if (reply->type != REDIS_REPLY_STATUS) return 0;
    if (sscanf(reply->str, "newer %d", &version) == 1)
        return rv_fail(err, REEVE_ESCHEMA, "space %s: a newer library wrote it (version %d)",
                       store->space, version);
    return fail_answer(store, err);
}

static int run(struct rv_rd *store, const struct question *question, redisReply **out,
               struct rv_error *err) {
    int rc = rv_rd_space_run(store, &question->script, out, err);
    if (!rc) rc = judge(store, *out, err);
    if (rc) rv_rd_replies_free(out, 1);
    return rc;
}

int rv_rd_grants_run(struct rv_rd *store, enum rv_redis_lua which, const struct rv_bytes *args,
                     size_t count, redisReply **out, struct rv_error *err) {
    struct question question;
    set_script(&question, which, 0);
    for (size_t i = 0; i < count; i++)
        add(&question, args[i]);
    return run(store, &question, out, err);
}

/* One that answers no or yes. */
static int run_yes_or_no(struct rv_rd *store, const struct question *question, bool *yes,
                         struct rv_error *err) {
    redisReply *reply = NULL;
    int rc = run(store, question, &reply, err);
    if (rc) return rc;
    *yes = reply->integer != 0;
    if (reply->type != REDIS_REPLY_INTEGER) rc = fail_answer(store, err);
    freeReplyObject(reply);
    return rc;
}

/* ---- take ---- */
static int read_answer(const struct rv_rd *store, const redisReply *reply,
                       struct rv_grant_answer *out, struct rv_error *err) {
    struct rv_reader reader;
    if (!rv_rd_is_array(reply, 3)) return fail_answer(store, err);
    rv_reader_init(&reader, rv_rd_bytes(reply->element[0]));
    if (reply->element[0]->len) out->token = rv_read_uint(&reader, TOKEN_SIZE);
    out->free_in_ms = reply->element[1]->integer;
    out->ahead = (size_t)reply->element[2]->integer;
    return reader.failed ? fail_answer(store, err) : 0;
}

int rv_rd_grant_take(struct rv_store *s, const struct rv_grant_ask *ask, int64_t timeout_ms,
                     struct rv_grant_answer *out, struct rv_error *err) {
    struct rv_rd *store = (struct rv_rd *)s;
    struct question question;
    redisReply *reply = NULL;
    set_script(&question, RV_REDIS_LUA_GRANT_TAKE, timeout_ms);
    set_name(&question, ask->kind, ask->name);
    add(&question, holder_of(&question, ask->holder));
    add(&question, number(question.numbers[0], ask->lease_ms));
    add(&question, number(question.numbers[1], ask->ticket_ms));
    add(&question, text(ask->by));
    add(&question, number(question.numbers[2], RV_GRANT_KEPT_MS));
    int rc = run(store, &question, &reply, err);
    if (rc) return rc;
    rc = read_answer(store, reply, out, err);
    freeReplyObject(reply);
    return rc;
}

/* ---- renew ---- */
static void pack_renewal(struct rv_buf *buf, const struct rv_grant_renewal *renewal) {
    char name[RV_RD_GRANT_NAME_SIZE];
    unsigned char lease[RV_RD_LEASE_SIZE];
    rv_rd_grant_name(renewal->kind, renewal->name, name);
    rv_rd_lease_pack(lease, renewal->holder, renewal->token);
    (void)rv_buf_add_u8(buf, (uint8_t)strlen(name));
    (void)rv_buf_add_text(buf, name);
    (void)rv_buf_add(buf, lease, sizeof lease);
    (void)rv_buf_add_uint(buf, (uint64_t)renewal->lease_ms, 6);
}

static int read_renewed(const struct rv_rd *store, const redisReply *reply,
                        struct rv_grant_renewal *renewals, size_t count, struct rv_error *err) {
    struct rv_bytes digits = rv_rd_bytes(reply);
    if (digits.size != count) return fail_answer(store, err);
    for (size_t i = 0; i < count; i++) {
        renewals[i].lost = ((const char *)digits.data)[i] == '1';
        renewals[i].resign = ((const char *)digits.data)[i] == '2';
    }
    return 0;
}

int rv_rd_grant_renew(struct rv_store *s, struct rv_grant_renewal *renewals, size_t count,
                      int64_t timeout_ms, struct rv_error *err) {
    struct rv_rd *store = (struct rv_rd *)s;
    struct question question;
    struct rv_buf packed;
    redisReply *reply = NULL;
    rv_buf_init(&packed, count * (1 + RV_RD_GRANT_NAME_SIZE + RV_RD_LEASE_SIZE + 6));
    for (size_t i = 0; i < count; i++)
        pack_renewal(&packed, &renewals[i]);
    set_script(&question, RV_REDIS_LUA_GRANT_RENEW, timeout_ms);
    question.script.brief = store->topology.shape == RV_RD_CLUSTER; /* other leases wait */
    add(&question, (struct rv_bytes){packed.data, packed.size});
    int rc = packed.error ? rv_fail(err, packed.error, "renew %zu names", count)
                          : run(store, &question, &reply, err);
    if (!rc) rc = read_renewed(store, reply, renewals, count, err);
    rv_rd_replies_free(&reply, 1);
    rv_buf_release(&packed);
    return rc;
}

/* ---- release, check, resign ---- */
int rv_rd_grant_release(struct rv_store *s, enum rv_grant_kind kind, const char *name,
                        uint64_t holder, int64_t timeout_ms, struct rv_error *err) {
    struct question question;
    bool had = false;
    set_script(&question, RV_REDIS_LUA_GRANT_RELEASE, timeout_ms);
    set_name(&question, kind, name);
    add(&question, holder_of(&question, holder));
    add(&question, number(question.numbers[0], RV_GRANT_KEPT_MS));
    int rc = run_yes_or_no((struct rv_rd *)s, &question, &had, err);
    if (rc || had) return rc;
    return rv_fail(err, REEVE_EFENCED, "%s is not yours to release", name);
}

int rv_rd_grant_check(struct rv_store *s, enum rv_grant_kind kind, const char *name, uint64_t token,
                      struct rv_error *err) {
    struct question question;
    bool good = false;
    set_script(&question, RV_REDIS_LUA_GRANT_CHECK, 0);
    set_name(&question, kind, name);
    rv_rd_lease_pack(question.lease, 0, token);
    add(&question, (struct rv_bytes){question.lease + HOLDER_SIZE, TOKEN_SIZE});
    int rc = run_yes_or_no((struct rv_rd *)s, &question, &good, err);
    if (rc) return rv_rd_only_asked(rc, err);
    return good ? 0 : rv_fail(err, REEVE_EFENCED, "%s is not held under this token", name);
}

int rv_rd_grant_resign(struct rv_store *s, enum rv_grant_kind kind, const char *name,
                       struct rv_error *err) {
    struct question question;
    bool held = false;
    set_script(&question, RV_REDIS_LUA_GRANT_RESIGN, 0);
    set_name(&question, kind, name);
    int rc = run_yes_or_no((struct rv_rd *)s, &question, &held, err);
    if (rc || held) return rc;
    return rv_fail(err, REEVE_ENOENT, "nobody holds %s", name);
}

/* ---- grants ---- */
/* name, grant, ms left, how many wait for it: as lua/grants.lua answers. */
static bool read_row(redisReply *const *elements, int64_t now_ms, struct rv_grant_row *row) {
    struct rv_reader reader;
    struct rv_bytes name = rv_rd_bytes(elements[0]);
    rv_reader_init(&reader, rv_rd_bytes(elements[1]));
    (void)rv_read_u8(&reader); /* the version: looked at by the script */
    row->resign = rv_read_u8(&reader) != 0;
    row->holder = rv_read_u64(&reader);
    row->token = rv_read_uint(&reader, TOKEN_SIZE);
    row->since_ms = (int64_t)rv_read_uint(&reader, 6);
    (void)rv_read_bytes(&reader, 18); /* the longest lease, and counts */
    size_t by_size = (size_t)(reader.end - reader.at);
    if (reader.failed || name.size < 2 || name.size > sizeof row->name || by_size >= sizeof row->by)
        return false;
    memcpy(row->name, (const char *)name.data + 1, name.size - 1); /* zeroed: NUL-ended */
    memcpy(row->by, reader.at, by_size);
    row->until_ms = now_ms + elements[2]->integer;
    row->waiting = (size_t)elements[3]->integer;
    return true;
}

static int gather(const struct rv_rd *store, const redisReply *reply, size_t limit,
                  struct rv_grants *out, struct rv_error *err) {
    int64_t now_ms = rv_store_now_ms(&store->base);
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements % 4 != 1)
        return fail_answer(store, err);
    for (size_t i = 1; i < reply->elements && out->count < limit; i += 4)
        if (!read_row(reply->element + i, now_ms, &out->rows[out->count++]))
            return fail_answer(store, err);
    return 0;
}

/* One step over at most limit names. last: the last of them, "" if there are no more. */
static int list_some(struct rv_rd *store, const char *from, const char *to, size_t limit,
                     struct rv_grants *out, char *last, struct rv_error *err) {
    char most[NUMBER_SIZE];
    const struct rv_bytes args[] = {text(from), text(to), number(most, (int64_t)limit)};
    redisReply *reply = NULL;
    int rc = rv_rd_grants_run(store, RV_REDIS_LUA_GRANTS, args, 3, &reply, err);
    if (rc) return rv_rd_only_asked(rc, err);
    rc = gather(store, reply, limit, out, err);
    if (!rc) (void)snprintf(last, RV_RD_GRANT_NAME_SIZE, "%s", reply->element[0]->str);
    freeReplyObject(reply);
    return rc;
}

int rv_rd_grants(struct rv_store *s, const struct rv_grants_query *query, struct rv_grants *out,
                 struct rv_error *err) {
    char last[RV_RD_GRANT_NAME_SIZE], from[1 + RV_RD_GRANT_NAME_SIZE],
        to[1 + RV_RD_GRANT_NAME_SIZE];
    const char *after = query->after ? query->after : "";
    out->rows = calloc(query->limit, sizeof *out->rows);
    if (!out->rows) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    rv_rd_grant_name(query->kind, query->name ? query->name : after, last);
    (void)snprintf(from, sizeof from, "%c%s", query->name ? '[' : '(', last);
    (void)snprintf(to, sizeof to, "[%s", last);
    if (!query->name) (void)snprintf(to, sizeof to, "(%d", (int)query->kind + 1);
    int rc;
    do { /* names that nobody holds are passed over */
        rc = list_some((struct rv_rd *)s, from, to, query->limit, out, last, err);
        (void)snprintf(from, sizeof from, "(%s", last);
    } while (!rc && *last && out->count < query->limit);
    return rc;
}
