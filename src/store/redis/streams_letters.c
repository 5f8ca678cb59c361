#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/redis/streams_split.h"

enum {
    POST_MAX = 20,   /* J11: letters that one step puts where they belong */
    POST_MS = 10000, /* for which nobody else does */
    WORDS_MAX = 256, /* of a letter: fields that strangers have added, too */
    ARGS_MAX = 256,
};

/* Where the dead letters of a group lie. */
struct letterbox {
    char place[RV_RD_PLACE_SIZE];
    const char *key; /* within place */
    struct rv_rd_shard shard;
};

static void find(const struct rv_group *group, struct letterbox *box) {
    (void)snprintf(box->place, sizeof box->place, "=%s-input-dlq", group->name);
    box->key = box->place + 1;
    box->shard = (struct rv_rd_shard){.queue = box->place};
}

static int ask(struct rv_rd *store, const struct letterbox *box, const char *const *words,
               const size_t *sizes, int count, redisReply **out, struct rv_error *err) {
    const struct rv_rd_command command = {.argc = count, .argv = words, .sizes = sizes};
    *out = NULL;
    return rv_rd_call(store, &box->shard, &command, 1, store->timeout_ms, out, err);
}

static int ask_number(struct rv_rd *store, const struct letterbox *box, const char *const *words,
                      int count, int64_t *out, struct rv_error *err) {
    redisReply *reply;
    int rc = ask(store, box, words, NULL, count, &reply, err);
    if (rc) return rc;
    *out = reply->type == REDIS_REPLY_INTEGER ? reply->integer : 0;
    freeReplyObject(reply);
    return 0;
}

static int length(struct rv_rd *store, const struct letterbox *box, int64_t *out,
                  struct rv_error *err) {
    const char *const words[] = {"XLEN", box->key};
    return ask_number(store, box, words, 2, out, err);
}

/* ---- posting ---- */
static int add_letter(struct rv_rd *store, const struct letterbox *box, const redisReply *fields,
                      struct rv_error *err) {
    const char *words[WORDS_MAX + 3] = {"XADD", box->key, "*"};
    size_t sizes[WORDS_MAX + 3] = {strlen("XADD"), strlen(box->key), 1}, count = 3;
    redisReply *reply;
    for (size_t i = 0; i < fields->elements && count < WORDS_MAX + 3; i++, count++) {
        words[count] = fields->element[i]->str;
        sizes[count] = (size_t)fields->element[i]->len;
    }
    int rc = ask(store, box, words, sizes, (int)count, &reply, err);
    rv_rd_replies_free(&reply, 1);
    return rc;
}

static int trim(struct rv_rd *store, const struct letterbox *box, uint64_t most, int64_t *trimmed,
                struct rv_error *err) {
    char bound[24];
    const char *const words[] = {"XTRIM", box->key, "MAXLEN", bound};
    (void)snprintf(bound, sizeof bound, "%llu", (unsigned long long)most);
    return most ? ask_number(store, box, words, 4, trimmed, err) : 0;
}

/* letters: id, fields, .... Tells how many are there now. */
static size_t add_letters(struct rv_rd *store, const struct letterbox *box,
                          const redisReply *letters) {
    struct rv_error ignored;
    size_t count = 0;
    while (2 * count + 1 < letters->elements) {
        const redisReply *fields = letters->element[2 * count + 1];
        if (fields->type != REDIS_REPLY_ARRAY || add_letter(store, box, fields, &ignored)) break;
        count++;
    }
    return count;
}

/* Asks for want letters, and says that the first count of those before are posted. */
static int exchange(struct rv_rd *store, const struct rv_group *group, size_t want,
                    const redisReply *before, size_t count, int64_t trimmed, redisReply **out,
                    struct rv_error *err) {
    struct rv_rd_stream_call call;
    rv_rd_stream_call_init(&call, &store->base, group, RV_REDIS_LUA_STREAM_POST, ARGS_MAX);
    rv_rd_args_add_number(&call.args, (int64_t)want);
    rv_rd_args_add_number(&call.args, POST_MS);
    rv_rd_args_add_number(&call.args, trimmed);
    for (size_t i = 0; i < count; i++)
        rv_rd_args_add_text(&call.args, before->element[2 * i]->str);
    return rv_rd_stream_run(&call, out, err);
}

void rv_rd_letters_post(struct rv_rd *store, const struct rv_group *group, uint64_t most) {
    struct letterbox box;
    struct rv_error ignored;
    redisReply *letters = NULL, *next = NULL;
    find(group, &box);
    int rc = exchange(store, group, POST_MAX, NULL, 0, 0, &letters, &ignored);
    while (!rc && letters->type == REDIS_REPLY_ARRAY && letters->elements >= 2) {
        int64_t trimmed = 0;
        size_t count = add_letters(store, &box, letters);
        if (count) (void)trim(store, &box, most, &trimmed, &ignored);
        if (!count) break; /* whoever comes after us tries again */
        rc = exchange(store, group, POST_MAX, letters, count, trimmed, &next, &ignored);
        rv_rd_replies_free(&letters, 1);
        letters = next;
        next = NULL;
    }
    rv_rd_replies_free(&letters, 1);
}

/* ---- the ops ---- */
int rv_rd_letters_count(struct rv_rd *store, const struct rv_group *group, uint64_t *count,
                        struct rv_error *err) {
    struct letterbox box;
    int64_t found = 0;
    find(group, &box);
    int rc = length(store, &box, &found, err);
    *count += (uint64_t)found;
    return rc;
}

static int count_as(struct rv_store *s, const struct rv_group *group, const char *word,
                    int64_t count, struct rv_error *err) {
    struct rv_rd_stream_call call;
    int answer;
    rv_rd_stream_call_init(&call, s, group, RV_REDIS_LUA_STREAM_COUNT, ARGS_MAX);
    rv_rd_args_add_text(&call.args, word);
    rv_rd_args_add_number(&call.args, count);
    return rv_rd_stream_ask(&call, &answer, err);
}

int rv_rd_letters_purge(struct rv_store *s, const struct rv_group *group, const char *const *ids,
                        size_t count, int *removed, struct rv_error *err) {
    struct letterbox box;
    int64_t gone = 0;
    const char **words = calloc(count + 2, sizeof *words);
    if (!words) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    find(group, &box);
    words[0] = "XDEL";
    words[1] = box.key;
    memcpy(words + 2, ids, count * sizeof(*words));
    int rc = ask_number((struct rv_rd *)s, &box, words, (int)count + 2, &gone, err);
    free(words);
    *removed = (int)gone;
    return rc || !gone ? rc : count_as(s, group, "purged", gone, err);
}

static int relist(struct rv_store *s, const struct rv_group *group, const redisReply *fields,
                  int *answer, struct rv_error *err) {
    struct rv_rd_stream_call call;
    rv_rd_stream_call_init(&call, s, group, RV_REDIS_LUA_STREAM_RELIST, ARGS_MAX);
    for (size_t i = 0; i < fields->elements; i++)
        rv_rd_args_add(&call.args, fields->element[i]->str, (size_t)fields->element[i]->len);
    return rv_rd_stream_ask(&call, answer, err);
}

/* In line first, then out of the letters: whoever is stopped in between leaves both. */
int rv_rd_letters_revive(struct rv_store *s, const struct rv_group *group, const char *id,
                         int *answer, struct rv_error *err) {
    enum { IN_LINE, ABSENT };
    struct rv_rd *store = (struct rv_rd *)s;
    struct letterbox box;
    redisReply *found;
    int64_t gone;
    find(group, &box);
    const char *const range[] = {"XRANGE", box.key, id, id}, *const drop[] = {"XDEL", box.key, id};
    int rc = ask(store, &box, range, NULL, 4, &found, err);
    if (rc) return rc;
    const redisReply *letter = rv_rd_is_array(found, 1) ? found->element[0] : NULL;
    *answer = ABSENT;
    if (letter && rv_rd_is_array(letter, 2)) rc = relist(s, group, letter->element[1], answer, err);
    freeReplyObject(found);
    return rc || *answer != IN_LINE ? rc : ask_number(store, &box, drop, 3, &gone, err);
}
