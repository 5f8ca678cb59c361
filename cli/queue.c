#include "queue.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "exit.h"
#include "json.h"
#include "text.h"

json_t *queue_json(const struct reeve_queue *queue) {
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {
        {"ready", queue->ready},
        {"delayed", queue->delayed},
        {"running", queue->running},
        {"done", queue->done},
        {"failed", queue->failed},
        {"cancelled", queue->cancelled},
        {"oldest_ready_ms", (uint64_t)queue->oldest_ready_ms},
        {"pushed_total", queue->pushed_total},
        {"finished_total", queue->finished_total},
        {"retried_total", queue->retried_total},
        {"lapsed_total", queue->lapsed_total},
        {"fenced_total", queue->fenced_total},
        {"refused_total", queue->refused_total},
        {"dropped_total", queue->dropped_total},
        {"trimmed_total", queue->trimmed_total},
    };
    json_t *out = json_pack("{s:o, s:b, s:o, s:s, s:o, s:i}", "queue", json_text(queue->name),
                            "paused", (int)queue->paused, "max_length", json_ms(queue->max_length),
                            "on_full", queue_on_full(queue), "keep_failed",
                            json_ms(queue->keep_failed), "shards", queue->shards);
    for (size_t i = 0; out && i < sizeof numbers / sizeof numbers[0]; i++) {
        json_t *value = json_integer((json_int_t)numbers[i].value);
        if (!json_object_set_new(out, numbers[i].name, value)) continue;
        json_decref(out);
        return NULL;
    }
    return out;
}

const char *queue_on_full(const struct reeve_queue *queue) {
    return queue->on_full == REEVE_DROP_OLDEST ? "drop-oldest" : "refuse";
}

static void print_bound(const char *name, int64_t bound) {
    if (bound)
        (void)printf("%s %" PRId64, name, bound);
    else
        (void)printf("%s none", name);
}

void queue_print_settings(const struct reeve_queue *queue) {
    print_bound("max-length", queue->max_length);
    (void)printf(", on-full %s, ", queue_on_full(queue));
    print_bound("keep-failed", queue->keep_failed);
    if (queue->shards > 1) (void)printf(", shards %d", queue->shards);
    (void)putchar('\n');
}

const char *const queue_heads[] = {
    "QUEUE",   ">READY",     ">DELAYED", ">RUNNING", ">DONE",
    ">FAILED", ">CANCELLED", ">OLDEST",  "",         NULL,
};

/* How long, in the largest unit that says something. */
static const char *span(char out[24], int64_t ms) {
    if (!ms) return "-";
    const char *unit = ms < 120000 ? "s" : ms < 7200000 ? "m" : ms < 172800000 ? "h" : "d";
    int64_t in_ms = *unit == 's' ? 1000 : *unit == 'm' ? 60000 : *unit == 'h' ? 3600000 : 86400000;
    (void)snprintf(out, 24, "%lld%s", (long long)(ms / in_ms), unit);
    return out;
}

void queue_row(struct table *table, const struct reeve_queue *queue) {
    char text[24];
    table_text(table, queue->name);
    table_number(table, queue->ready);
    table_number(table, queue->delayed);
    table_number(table, queue->running);
    table_number(table, queue->done);
    table_number(table, queue->failed);
    table_number(table, queue->cancelled);
    table_text(table, span(text, queue->oldest_ready_ms));
    table_text(table, queue->paused ? "paused" : "");
}

int queue_pause(struct cli *cli, int argc, char **argv, bool paused) {
    struct operands operands;
    int exit_code;
    if (!args_parse_all(cli, NULL, argc, argv, 1, 1, &operands, &exit_code)) return exit_code;
    const char *queue = operands.items[0];
    reeve *r = cli_open(cli, &exit_code);
    if (!r) return exit_code;
    int rc = reeve_pause(r, queue, paused);
    if (rc)
        exit_code = fail_api(rc);
    else if (cli->json)
        exit_code =
            json_line(json_pack("{s:o, s:b}", "queue", json_text(queue), "paused", (int)paused));
    else
        (void)printf("%s %s\n", queue, paused ? "paused" : "resumed");
    reeve_close(r);
    return exit_code;
}
