#include "redis/queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "store/redis/record.h"

enum { TIMEOUT_MS = 20000, LEASE_MS = 30000, WORDS_MAX = 64 };

struct rv_store *open_store_at(struct line *line, const char *url) {
    struct rv_store *store = NULL;
    struct rv_store_config config = {
        .space = "test", .timeout_ms = TIMEOUT_MS, .log = &line->log, .clock = &line->clock};
    CHECK_OK(rv_store_open(&store, url, &config, &line->err));
    return store;
}

struct rv_store *open_store(struct line *line) {
    char url[1024];
    (void)snprintf(url, sizeof url, "%s%s%s", line->server->url, line->options ? "?" : "",
                   line->options ? line->options : "");
    return open_store_at(line, url);
}

void start_queue(struct line *line, const char *with) {
    line->server = server_start(with);
    line_to(line, line->server->url);
}

/* ---- jobs ---- */
struct rv_new_job new_one(const char *id) {
    return (struct rv_new_job){
        .queue = "jobs",
        .kind = "default",
        .id = id,
        .nonce = rv_random_nonzero(&rv_random_system),
        .policy = {.attempts_max = 3, .backoff = REEVE_FIXED, .keep_ms = 3600000},
    };
}

void push_new(struct line *line, struct rv_store *store, const struct rv_new_job *job) {
    struct rv_pushed pushed;
    CHECK_OK(rv_store_push(store, "jobs", job, 1, &pushed, &line->err));
    CHECK_INT(pushed.status, REEVE_QUEUED);
}

void push_one(struct line *line, struct rv_store *store, const char *id) {
    struct rv_new_job job = new_one(id);
    push_new(line, store, &job);
}

int try_claim(struct rv_store *store, size_t want, struct held_claim *claim, size_t *got,
              struct rv_error *err) {
    struct rv_exchange exchange = {.queue = "jobs",
                                   .timeout_ms = TIMEOUT_MS,
                                   .want = want,
                                   .holder = rv_random_nonzero(&rv_random_system),
                                   .lease_ms = LEASE_MS,
                                   .worker = "w"};
    struct rv_exchanged claimed;
    int rc = rv_store_exchange(store, &exchange, &claimed, err);
    if (rc) return rc;
    *claim = (struct held_claim){.holder = exchange.holder, .token = claimed.token};
    rv_rd_lease_pack((unsigned char *)claim->lease, claim->holder, claim->token);
    if (got) *got = claimed.count;
    rv_exchanged_release(&claimed);
    return 0;
}

struct held_claim claim_some(struct line *line, struct rv_store *store, size_t want, size_t *got) {
    struct held_claim claim;
    CHECK_OK(try_claim(store, want, &claim, got, &line->err));
    return claim;
}

static enum rv_ending ending_of(enum reeve_state state) {
    if (state == REEVE_READY) return RV_HANDED_BACK;
    return state == REEVE_DONE ? RV_SUCCEEDED : RV_GIVEN_UP;
}

int finish_one(struct line *line, struct rv_store *store, const char *id, struct held_claim claim,
               enum reeve_state state) {
    struct rv_outcome outcome = {.id = id,
                                 .token = claim.token,
                                 .holder = claim.holder,
                                 .ending = ending_of(state),
                                 .state = state,
                                 .attempt = 1,
                                 .keep_ms = 3600000};
    struct rv_exchange exchange = {
        .queue = "jobs", .timeout_ms = TIMEOUT_MS, .outcomes = &outcome, .outcome_count = 1};
    struct rv_exchanged answer;
    CHECK_OK(rv_store_exchange(store, &exchange, &answer, &line->err));
    rv_exchanged_release(&answer);
    return outcome.status;
}

bool is_sound(struct line *line, struct rv_store *store) {
    struct rv_findings findings;
    bool sound = true;
    CHECK_OK(rv_store_examine(store, false, &findings, &line->err));
    for (size_t i = 0; i < findings.count; i++) {
        const struct rv_finding *finding = &findings.findings[i];
        if (finding->health != REEVE_BAD) continue;
        print_error("%s: %s\n", finding->check, finding->text);
        sound = false;
    }
    free(findings.findings);
    return sound;
}

/* ---- the server ---- */
static redisReply *ask(struct line *line, const char *const *argv, const size_t *sizes) {
    struct rv_rd_command command = {.argv = argv, .sizes = sizes};
    redisReply *reply = NULL;
    while (argv[command.argc])
        command.argc++;
    CHECK_OK(rv_rd_call(&line->rd, NULL, &command, 1, TIMEOUT_MS, &reply, &line->err));
    return reply;
}

int64_t command(struct line *line, const char *const *argv, const size_t *sizes) {
    redisReply *reply = ask(line, argv, sizes);
    int64_t value = reply->type == REDIS_REPLY_INTEGER ? reply->integer : 0;
    freeReplyObject(reply);
    return value;
}

int64_t count_commands(struct line *line) {
    redisReply *reply = ask(line, (const char *const[]){"INFO", "commandstats", NULL}, NULL);
    int64_t sum = 0;
    for (const char *at = reply->str; (at = strstr(at, "cmdstat_")); at++) {
        const char *calls = strstr(at, "calls=");
        if (calls && strncmp(at, "cmdstat_info:", strlen("cmdstat_info:")) != 0)
            sum += strtoll(calls + strlen("calls="), NULL, 10);
    }
    freeReplyObject(reply);
    return sum;
}
