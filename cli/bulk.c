#include "bulk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bulk_line.h"
#include "exit.h"
#include "json.h"
#include "lines.h"
#include "patience.h"
#include "progress.h"
#include "span.h"
#include "text.h"

enum {
    BATCH_MAX = 1000,           /* lines pushed in one call */
    BATCH_BYTES_MAX = 16 << 20, /* of their bodies: what is held in memory */
    PATIENCE_MS = 30000, /* with a store that is away: servers follow each other in seconds */
};

struct bulk {
    reeve *r;
    const struct reeve_push *defaults;
    bool id_from_body;
    struct progress progress;
    uint64_t read; /* bytes of all lines so far */
    uint64_t queued, duplicate, refused, spooled;
    bool quiet;
    int exit_code; /* of a store that stays away: the lines end there */

    size_t count, bytes; /* of the batch */
    long numbers[BATCH_MAX];
    struct bulk_line lines[BATCH_MAX];
    struct reeve_push pushes[BATCH_MAX];
    struct reeve_pushed outs[BATCH_MAX];
    /* Of those that are to be pushed again: */
    char ids[BATCH_MAX][REEVE_ID_SIZE];
    bool unsure[BATCH_MAX]; /* the answer was lost, once at least */
};

static void refuse(struct bulk *b, long number, const char *why) {
    b->refused++;
    progress_clear(&b->progress);
    (void)fprintf(stderr, "line %ld: ", number);
    text_put(stderr, why, strlen(why));
    (void)fputc('\n', stderr);
}

/* The library tells a code for each; the words for one come from asking again, which is refused
 * again. */
static void refuse_pushed(struct bulk *b, size_t i) {
    bool checked = b->outs[i].error == REEVE_EINVAL || b->outs[i].error == REEVE_ETOOBIG;
    bool said = checked && reeve_push(b->r, &b->pushes[i], NULL) == b->outs[i].error;
    refuse(b, b->numbers[i], said ? reeve_errmsg() : reeve_strerror(b->outs[i].error));
}

/* Why lines are left: the library has words for the first of a batch. */
struct reason {
    char text[512];
};

static void count_pushed(struct bulk *b, size_t i) {
    const struct reeve_pushed *out = &b->outs[i];
    if (out->error)
        refuse_pushed(b, i);
    else if (out->status == REEVE_QUEUED)
        b->queued++;
    else if (out->status == REEVE_SPOOLED)
        b->spooled++;
    else
        b->duplicate++;
    reeve_free(out->done);
}

/* It is the same push the next time: whatever became of it is told then. */
static void keep_left(struct bulk *b, size_t from, size_t to) {
    const struct reeve_pushed *out = &b->outs[from];
    b->numbers[to] = b->numbers[from];
    b->lines[to] = b->lines[from];
    b->pushes[to] = b->pushes[from];
    b->pushes[to].request = out->request;
    memmove(b->ids[to], out->id, sizeof b->ids[to]);
    b->pushes[to].id = b->ids[to];
    b->unsure[to] = b->unsure[from] || out->error == REEVE_EUNSURE;
}

/* Pushes the batch. What the store does not answer for is left of it. */
static void push_batch(struct bulk *b, struct reason *why) {
    size_t left = 0;
    for (size_t i = 0; i < b->count; i++)
        b->outs[i] = (struct reeve_pushed){.size = sizeof b->outs[i]};
    int error = reeve_push_many(b->r, b->pushes, b->count, b->outs);
    if (error) (void)snprintf(why->text, sizeof why->text, "%s", reeve_errmsg());
    for (size_t i = 0; i < b->count; i++) {
        if (b->outs[i].error && reeve_retriable(b->outs[i].error)) {
            if (!left && b->outs[i].error != error)
                (void)snprintf(why->text, sizeof why->text, "%s", reeve_strerror(b->outs[i].error));
            keep_left(b, i, left++);
        } else {
            count_pushed(b, i);
            bulk_line_release(&b->lines[i]);
        }
    }
    b->count = left;
}

static void tell_away(struct bulk *b, const struct reason *why) {
    progress_clear(&b->progress);
    if (!b->quiet)
        (void)fail(EXIT_DONE, "line %ld and those after it: %s; trying again", b->numbers[0],
                   why->text);
}

/* The store stays away. What may have been pushed is unsure, whatever came after that. */
static void give_up(struct bulk *b, const struct reason *why) {
    bool unsure = false;
    for (size_t i = 0; i < b->count; i++) {
        unsure |= b->unsure[i];
        bulk_line_release(&b->lines[i]);
    }
    progress_clear(&b->progress);
    b->exit_code = fail(unsure ? EXIT_UNSURE : EXIT_UNREACHABLE, "line %ld and those after it: %s",
                        b->numbers[0], why->text);
}

static void flush(struct bulk *b) {
    struct span patience = span_begin(PATIENCE_MS);
    struct reason why = {.text = ""};
    int64_t wait_ms = 0;
    memset(b->unsure, 0, sizeof b->unsure);
    push_batch(b, &why);
    if (b->count) tell_away(b, &why);
    while (b->count && !span_is_over(&patience)) {
        span_pause(patience_next_ms(&wait_ms));
        push_batch(b, &why);
    }
    if (b->count) give_up(b, &why);
    b->count = b->bytes = 0;
    progress_show(&b->progress, b->queued + b->duplicate + b->refused + b->spooled, b->read);
}

static bool blank(const struct lines *lines) {
    for (size_t i = 0; i < lines->size; i++) {
        char c = lines->data[i];
        if (c != ' ' && c != '\t' && c != '\r') return false;
    }
    return true;
}

static void take(struct bulk *b, const struct lines *lines) {
    char wrong[256];
    struct reeve_push *push = &b->pushes[b->count];
    b->read += lines->size + 1;
    if (blank(lines)) return;
    if (lines->too_long) {
        refuse(b, lines->number, "over 64 MiB");
        return;
    }
    *push = *b->defaults;
    const char *problem =
        bulk_line_read(lines->data, lines->size, b->id_from_body, &b->lines[b->count], push, wrong);
    if (problem) {
        refuse(b, lines->number, problem);
        return;
    }
    b->numbers[b->count++] = lines->number;
    b->bytes += push->body_size;
    if (b->count == BATCH_MAX || b->bytes >= BATCH_BYTES_MAX) flush(b);
}

static int print_counts(const struct cli *cli, const struct bulk *b) {
    if (cli->json)
        return json_line(json_pack("{s:I, s:I, s:I, s:I}", "queued", (json_int_t)b->queued,
                                   "duplicate", (json_int_t)b->duplicate, "refused",
                                   (json_int_t)b->refused, "spooled", (json_int_t)b->spooled));
    (void)printf("%" PRIu64 " queued, %" PRIu64 " duplicate, %" PRIu64 " refused", b->queued,
                 b->duplicate, b->refused);
    if (b->spooled) (void)printf(", %" PRIu64 " spooled", b->spooled);
    (void)putchar('\n');
    return EXIT_DONE;
}

/* A batch goes when it is full, at the end, and when the next line is still to be written by
 * somebody. */
static void push_lines(struct bulk *b, struct lines *lines) {
    while (!b->exit_code && lines_next(lines)) {
        take(b, lines);
        if (b->count && lines_would_block(lines)) flush(b);
    }
    if (b->count) flush(b);
    progress_clear(&b->progress);
    if (lines->failed) b->exit_code = fail_usage("cannot read the lines: %s", strerror(errno));
}

/* 0 of what is no file: nobody knows how much comes. */
static uint64_t file_size(int fd) {
    struct stat status;
    return !fstat(fd, &status) && S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
}

int bulk_push(const struct cli *cli, reeve *r, int fd, const struct reeve_push *defaults,
              bool id_from_body) {
    struct bulk *b = calloc(1, sizeof *b);
    struct lines *lines = calloc(1, sizeof *lines);
    int exit_code = EXIT_BROKEN;
    if (b && lines) {
        b->r = r;
        b->defaults = defaults;
        b->id_from_body = id_from_body;
        b->quiet = cli->quiet;
        progress_init(&b->progress, "lines", file_size(fd), cli->quiet);
        lines->fd = fd;
        push_lines(b, lines);
        exit_code = print_counts(cli, b);
        if (!exit_code) exit_code = b->exit_code ? b->exit_code : b->refused ? EXIT_NO : EXIT_DONE;
        lines_release(lines);
    } else {
        (void)fail(EXIT_BROKEN, "out of memory");
    }
    free(lines);
    free(b);
    return exit_code;
}
