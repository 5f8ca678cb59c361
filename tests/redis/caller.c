#include "redis/caller.h"

#include <stdio.h>
#include <string.h>

#include "harness/eventually.h"

enum { SOON_MS = 30000 };

reeve *open_handle(struct line *line) {
    struct reeve_options options = {
        .size = sizeof options, .space = "test", .log_level = REEVE_LOG_ERROR};
    reeve *r;
    CHECK_OK(reeve_open(&r, line->server->url, &options));
    return r;
}

static void *make_call(void *arg) {
    struct caller *c = arg;
    struct reeve_push push = {.size = sizeof push, .queue = "jobs", .id = c->id};
    c->rc = reeve_push_wait(c->r, &push, c->timeout_ms, &c->out, &c->job);
    return NULL;
}

void caller_begin_within(struct caller *c, reeve *r, const char *id, int64_t timeout_ms) {
    *c = (struct caller){.r = r, .timeout_ms = timeout_ms, .out = {.size = sizeof c->out}};
    (void)snprintf(c->id, sizeof c->id, "%s", id);
    CHECK_INT(pthread_create(&c->thread, NULL, make_call, c), 0);
}

void caller_begin(struct caller *c, reeve *r, const char *id) {
    caller_begin_within(c, r, id, SOON_MS);
}

void caller_join(struct caller *c) {
    CHECK_INT(pthread_join(c->thread, NULL), 0);
}

void caller_end(struct caller *c) {
    caller_join(c);
    CHECK_OK(c->rc);
    CHECK_STR(c->job->id, c->id);
    CHECK_INT(c->job->state, REEVE_DONE);
    reeve_free(c->job);
}

struct known {
    struct rv_store *store;
    const char *id;
};

static bool is_known(void *arg) {
    struct known *known = arg;
    struct reeve_job *job = NULL;
    int rc = rv_store_read(known->store, "jobs", known->id, &job, NULL);
    reeve_free(job);
    return !rc;
}

void await_known(struct rv_store *store, const char *id) {
    struct known known = {store, id};
    CHECK(eventually(is_known, &known, SOON_MS));
}

static bool is_claimed(void *arg) {
    struct held_claim *claim = ((void **)arg)[1];
    size_t got = 0;
    CHECK_OK(try_claim(((void **)arg)[0], 1, claim, &got, NULL));
    return got == 1;
}

struct held_claim claim_next(struct rv_store *store) {
    struct held_claim claim;
    CHECK(eventually(is_claimed, (void *[]){store, &claim}, SOON_MS));
    return claim;
}

void serve(struct line *line, struct rv_store *store, const char *id) {
    struct held_claim claim = claim_next(store);
    CHECK_OK(finish_one(line, store, id, claim, REEVE_DONE));
}

void call_once(struct line *line, struct rv_store *store, reeve *r, const char *id) {
    struct caller c;
    caller_begin(&c, r, id);
    serve(line, store, id);
    caller_end(&c);
}

/* ---- messages ---- */
int64_t publish(struct line *line, uint32_t address, const void *text, size_t size) {
    char channel[64];
    (void)snprintf(channel, sizeof channel, "rv:{test}:ends:%08x", (unsigned)address);
    const char *words[] = {"PUBLISH", channel, text, NULL};
    return command(line, words, (const size_t[]){7, strlen(channel), size});
}

void begin_message(struct rv_buf *buf, const char *queue) {
    rv_buf_init(buf, 4096);
    (void)rv_buf_add_u8(buf, (uint8_t)strlen(queue));
    (void)rv_buf_add(buf, queue, strlen(queue));
}

void add_end(struct rv_buf *buf, uint32_t number, const char *id, const void *record,
             uint32_t size) {
    (void)rv_buf_add_u32(buf, number);
    (void)rv_buf_add_u8(buf, (uint8_t)strlen(id));
    (void)rv_buf_add(buf, id, strlen(id));
    (void)rv_buf_add_u32(buf, size);
    if (size) (void)rv_buf_add(buf, record, size);
}

redisReply *record_of(struct line *line, const char *id) {
    const char *words[] = {"HGET", KEY("job"), id};
    struct rv_rd_command command = {.argc = 3, .argv = words};
    redisReply *reply;
    CHECK_OK(rv_rd_call(&line->rd, NULL, &command, 1, SOON_MS, &reply, NULL));
    CHECK(reply->type == REDIS_REPLY_STRING);
    return reply;
}

void plant(struct line *line, uint32_t address, uint32_t number, const redisReply *other) {
    struct rv_buf buf;
    begin_message(&buf, "jobs");
    add_end(&buf, number, "other", other->str, (uint32_t)other->len);
    for (size_t size = 0; size <= buf.size; size++)
        CHECK_INT(publish(line, address, buf.data, size), 1);
    rv_buf_release(&buf);
    begin_message(&buf, "jobs");
    add_end(&buf, number + 1, "nobody", NULL, 0);
    add_end(&buf, number, "mine", "\xff", 1);
    add_end(&buf, number, "mine", "", 0); /* it is to be read, and has not ended */
    CHECK_INT(publish(line, address, buf.data, buf.size), 1);
    rv_buf_release(&buf);
    CHECK_INT(publish(line, address, "\xff\xff\xff\xff", 4), 1);
}
