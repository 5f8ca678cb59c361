#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "json.h"
#include "listing.h"
#include "text.h"

enum {
    CONDITION_SIZE = 48,
    SILENT_MS = 45000, /* between two words of a worker, and then some */
};

/* "a b c" as ["a", "b", "c"]. */
static json_t *words_json(const char *words) {
    json_t *out = json_array();
    while (out && *words) {
        size_t size = strcspn(words, " ");
        if (size && json_array_append_new(out, json_bytes(words, size))) {
            json_decref(out);
            return NULL;
        }
        words += size + (words[size] == ' ');
    }
    return out;
}

static json_t *worker_json(const struct reeve_worker_info *worker) {
    bool told = worker->claimed_at_ms != 0;
    return json_pack("{s:o, s:o, s:o, s:o, s:i, s:I, s:o, s:o, s:o, s:o, s:o}", "id",
                     json_text(worker->id), "name", json_text(worker->name), "queues",
                     words_json(worker->queues), "kinds", words_json(worker->kinds), "threads",
                     worker->threads, "running", (json_int_t)worker->running, "started_at_ms",
                     json_ms(worker->started_at_ms), "seen_at_ms", json_ms(worker->seen_at_ms),
                     "degraded_since_ms", json_ms(worker->degraded_since_ms), "claimed_at_ms",
                     json_ms(worker->claimed_at_ms), "since_claim_ms",
                     told ? json_integer(worker->since_claim_ms) : json_null());
}

/* How long ago a claim of its was answered. */
static const char *claimed_text(char out[32], const struct reeve_worker_info *worker) {
    if (!worker->claimed_at_ms) return NULL;
    (void)snprintf(out, 32, "%" PRId64 "s", worker->since_claim_ms / 1000);
    return out;
}

/* What ails it, if anything does. A worker tells of itself every 30 s. */
static const char *condition_text(char out[CONDITION_SIZE],
                                  const struct reeve_worker_info *worker) {
    char time[TEXT_TIME_SIZE];
    bool silent = worker->claimed_at_ms && worker->since_claim_ms > SILENT_MS;
    if (!worker->degraded_since_ms && !silent) return "";
    int64_t since_ms =
        worker->degraded_since_ms ? worker->degraded_since_ms : worker->claimed_at_ms;
    (void)snprintf(out, CONDITION_SIZE, "%s since %s",
                   worker->degraded_since_ms ? "degraded" : "no claim", text_time(time, since_ms));
    return out;
}

static int show(void *arg, const struct reeve_worker_info *worker) {
    struct listing *list = arg;
    char time[TEXT_TIME_SIZE], claimed[32], condition[CONDITION_SIZE];
    if (list->json) return json_line(worker_json(worker));
    table_text(&list->table, worker->name);
    table_text(&list->table, worker->queues);
    table_text(&list->table, worker->kinds);
    table_number(&list->table, (uint64_t)worker->threads);
    table_number(&list->table, worker->running);
    table_text(&list->table, text_time(time, worker->started_at_ms));
    table_text(&list->table, text_time(time, worker->seen_at_ms));
    table_text(&list->table, claimed_text(claimed, worker));
    table_text(&list->table, condition_text(condition, worker));
    return 0;
}

static int tell(reeve *r, struct listing *list) {
    return reeve_worker_list(r, show, list);
}

static int run(struct cli *cli, int argc, char **argv) {
    static const char *const heads[] = {"NAME",    "QUEUES", "KINDS",    ">THREADS", ">RUNNING",
                                        "STARTED", "SEEN",   ">CLAIMED", "",         NULL};
    return listing_run(cli, argc, argv, heads, tell);
}

const struct cmd cmd_worker_list = {
    .name = "worker list",
    .summary = "list the workers that have been heard of lately",
    .usage = "Usage: reeve worker list\n",
    .run = run,
};
