#include "store/redis/swap.h"

#include <stdlib.h>
#include <string.h>

#include "core/failure.h"
#include "core/state.h"
#include "store/redis/record.h"
#include "store/redis/script.h"
#include "store/redis/vigil.h"

enum { FEW_KEYS = 10 };                                              /* as in lua/exchange.lua */
enum { PROXY = 1, WITH_ERROR = 2, WITH_RESULT = 4 };                 /* bits of an outcome */
enum { REPLAYED = 1, IS_PAUSED = 2, MORE_READY = 4, STANDS_BY = 8 }; /* bits of an answer */

/* ---- outcomes ---- */
/* Most are so: they are told by their id alone. */
static bool is_plainly_done(const struct rv_outcome *outcome) {
    return outcome->state == REEVE_DONE && outcome->ending == RV_SUCCEEDED &&
           outcome->keep_ms == 0 && !outcome->only_if_lapsed;
}

/* And these by how long they are kept, and by what their record is to end with. */
static bool is_plainly_kept(const struct rv_outcome *outcome) {
    return outcome->state == REEVE_DONE && outcome->ending == RV_SUCCEEDED &&
           outcome->keep_ms > 0 && !outcome->only_if_lapsed && !outcome->error &&
           !rv_rd_is_large(outcome->has_result ? outcome->result_size : 0) &&
           !rv_rd_is_large(outcome->history.size);
}

/* Of a run, as the script knows them. */
static char kind_of(const struct rv_outcome *outcome) {
    if (is_plainly_done(outcome)) return 'd';
    return is_plainly_kept(outcome) ? 'k' : 'o';
}

static int compare(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

bool rv_rd_swap_is_plain(const struct rv_outcome *outcome) {
    return kind_of(outcome) != 'o';
}

int rv_rd_swap_order(const struct rv_outcome *a, const struct rv_outcome *b) {
    int order = compare(a->token, b->token);
    return order ? order : compare(a->holder, b->holder);
}

static bool go_together(const struct rv_outcome *a, const struct rv_outcome *b) {
    char kind = kind_of(a);
    if (rv_rd_swap_order(a, b) != 0 || kind != kind_of(b)) return false;
    return kind != 'k' || (a->keep_ms == b->keep_ms && a->has_result == b->has_result);
}

static void add_fixed(struct rv_rd_args *args, const struct rv_outcome *outcome) {
    struct rv_buf *bytes = &args->bytes;
    size_t from = bytes->size;
    (void)rv_buf_add_u8(bytes, (uint8_t)outcome->ending);
    (void)rv_buf_add_u8(bytes, (uint8_t)outcome->state);
    (void)rv_buf_add_uint(bytes, (uint64_t)outcome->attempt, 3);
    (void)rv_buf_add_uint(bytes, (uint64_t)outcome->delay_ms, 6);
    (void)rv_buf_add_uint(bytes, (uint64_t)outcome->keep_ms, 6);
    (void)rv_buf_add_u8(bytes, (uint8_t)((outcome->only_if_lapsed ? PROXY : 0) |
                                         (outcome->error ? WITH_ERROR : 0) |
                                         (outcome->has_result ? WITH_RESULT : 0)));
    rv_rd_args_add_packed(args, from);
}

/* The end of its record, as lua/place.lua has it: the result, if there is one, and the history. */
static void add_record_end(struct rv_rd_args *args, const struct rv_outcome *outcome) {
    size_t from = args->bytes.size;
    if (outcome->has_result) {
        (void)rv_buf_add_u32(&args->bytes, (uint32_t)outcome->result_size);
        (void)rv_buf_add(&args->bytes, outcome->result, outcome->result_size);
    }
    (void)rv_buf_add(&args->bytes, outcome->history.data, outcome->history.size);
    rv_rd_args_add_packed(args, from);
}

static void add_outcome(struct rv_rd_args *args, const struct rv_outcome *outcome) {
    rv_rd_args_add_text(args, outcome->id);
    if (is_plainly_done(outcome)) return;
    if (is_plainly_kept(outcome)) {
        add_record_end(args, outcome);
        return;
    }
    add_fixed(args, outcome);
    rv_rd_args_add(args, outcome->history.data, outcome->history.size);
    size_t from = args->bytes.size;
    if (outcome->error) (void)rv_failure_write(&args->bytes, outcome->error);
    rv_rd_args_add_packed(args, from);
    rv_rd_args_add(args, outcome->result, outcome->has_result ? outcome->result_size : 0);
}

/* What all of a run have in common. */
static void add_run_head(struct rv_rd_args *args, const struct rv_outcome *outcome, size_t count) {
    struct rv_buf *bytes = &args->bytes;
    size_t from = bytes->size;
    (void)rv_buf_add_u8(bytes, (uint8_t)kind_of(outcome));
    (void)rv_buf_add_u64(bytes, outcome->holder);
    (void)rv_buf_add_uint(bytes, outcome->token, 7);
    (void)rv_buf_add_uint(bytes, count, 2);
    if (is_plainly_kept(outcome)) {
        (void)rv_buf_add_uint(bytes, (uint64_t)outcome->keep_ms, 6);
        (void)rv_buf_add_u8(bytes, outcome->has_result ? WITH_RESULT : 0);
    }
    rv_rd_args_add_packed(args, from);
}

static size_t add_run(struct rv_rd_args *args, const struct rv_outcome *outcomes, size_t most) {
    size_t count = 1;
    while (count < most && go_together(&outcomes[0], &outcomes[count]))
        count++;
    add_run_head(args, outcomes, count);
    for (size_t i = 0; i < count; i++)
        add_outcome(args, &outcomes[i]);
    return count;
}

/* The keys that an outcome may write to, as letters of the script's. A job that was told to stop
 * may come to be kept instead of waiting. */
static const char *needs_of(const struct rv_outcome *outcome) {
    if (is_plainly_done(outcome)) return "";
    if (is_plainly_kept(outcome)) return "p";
    switch (outcome->state) {
    case REEVE_DELAYED:
        return "dkm";
    case REEVE_READY:
        return "brkm";
    case REEVE_FAILED:
        return "fm";
    case REEVE_RUNNING:
    case REEVE_DONE:
    case REEVE_CANCELLED:
        break;
    }
    return outcome->has_result && rv_rd_is_large(outcome->result_size) ? "kh" : "k";
}

/* Returns whether there are any that take more than the few keys. */
static bool add_needs(struct rv_rd_args *args, const struct rv_exchange *exchange) {
    char needs[16] = "";
    size_t size = 0, from = args->bytes.size;
    for (size_t i = 0; i < exchange->outcome_count; i++) {
        for (const char *letter = needs_of(&exchange->outcomes[i]); *letter; letter++)
            if (!strchr(needs, *letter)) needs[size++] = *letter;
    }
    (void)rv_buf_add(&args->bytes, needs, size);
    rv_rd_args_add_packed(args, from);
    return strcmp(needs, "") != 0 && strcmp(needs, "p") != 0;
}

/* ---- the request ---- */
size_t rv_rd_swap_bytes(size_t outcome_count) {
    return (outcome_count + 1) * (RV_FAILURE_BYTES_MAX + 128);
}

/* Who asks for what, and who is to be told of it where. */
static void add_request(struct rv_rd_args *args, const struct rv_exchange *exchange) {
    char letters[RV_RD_LANE_SIZE];
    struct rv_buf *bytes = &args->bytes;
    size_t from = bytes->size;
    (void)rv_buf_add_u64(bytes, exchange->lane);
    (void)rv_buf_add_u64(bytes, exchange->number);
    (void)rv_buf_add_u64(bytes, exchange->holder);
    (void)rv_buf_add_uint(bytes, exchange->want, 2);
    (void)rv_buf_add_uint(bytes, (uint64_t)exchange->lease_ms, 6);
    if (exchange->stand_by_ms) {
        (void)rv_buf_add_uint(bytes, (uint64_t)exchange->stand_by_ms, 4);
        rv_rd_lane_print(exchange->lane, letters);
        (void)rv_buf_add(bytes, letters, strlen(letters));
    }
    rv_rd_args_add_packed(args, from);
}

void rv_rd_swap_prepare(struct rv_rd_script *script, const struct rv_exchange *exchange) {
    struct rv_rd_args *args = script->args;
    const char *worker = exchange->worker ? exchange->worker : "";
    add_request(args, exchange);
    rv_rd_args_add(args, worker, strnlen(worker, RV_WORKER_NAME_MAX));
    script->needs = add_needs(args, exchange) || exchange->again ? RV_RD_ALL : 0;
    script->few = FEW_KEYS;
    script->awaits_replicas = exchange->lane && exchange->outcome_count; /* it can be repeated */
    for (size_t i = 0; i < exchange->outcome_count;)
        i += add_run(args, exchange->outcomes + i, exchange->outcome_count - i);
}

/* ---- the answer ---- */
static int status_of(char letter) {
    if (letter == 'o') return REEVE_OK;
    return letter == 'f' ? REEVE_EFENCED : REEVE_ESTATE;
}

/* Those that have no letter are well. */
static void read_statuses(struct rv_bytes letters, struct rv_exchange *exchange) {
    const char *letter = letters.data;
    for (size_t i = 0; i < exchange->outcome_count; i++)
        exchange->outcomes[i].status = i < letters.size ? status_of(letter[i]) : REEVE_OK;
}

static bool read_head_on(struct rv_reader *reader, struct rv_exchanged *out) {
    unsigned bits = rv_read_u8(reader);
    out->replayed = bits & REPLAYED;
    out->paused = bits & IS_PAUSED;
    out->more = bits & MORE_READY;
    out->stands_by = bits & STANDS_BY;
    out->token = rv_read_uint(reader, 7);
    int64_t now_ms = (int64_t)rv_read_uint(reader, 6), due_ms = (int64_t)rv_read_uint(reader, 6);
    if (due_ms) out->due_in_ms = due_ms > now_ms ? due_ms - now_ms : 0;
    return !reader->failed;
}

static bool read_head(struct rv_bytes head, struct rv_exchanged *out) {
    struct rv_reader reader;
    rv_reader_init(&reader, head);
    return read_head_on(&reader, out);
}

static int make_room(struct rv_exchanged *out, size_t count, struct rv_error *err) {
    out->jobs = calloc(count, sizeof(*out->jobs));
    if (!out->jobs) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    out->count = count;
    return 0;
}

/* Ids and records by turns, behind the claim that all of them have. */
static int read_bare_jobs(const redisReply *reply, const char *queue, struct rv_exchanged *out,
                          struct rv_error *err) {
    size_t count = reply->elements / 2 - 1;
    int rc = make_room(out, count, err);
    for (size_t i = 0; !rc && i < count; i++) {
        struct rv_rd_shown shown = {.id = rv_rd_bytes(reply->element[2 * i + 2]).data,
                                    .record = rv_rd_bytes(reply->element[2 * i + 3]),
                                    .claim = rv_rd_bytes(reply->element[1])};
        rc = shown.id ? rv_rd_record_show(queue, &shown, &out->jobs[i], err)
                      : rv_rd_fail_answer(queue, err);
    }
    return rc;
}

static int read_jobs(const redisReply *reply, const char *queue, struct rv_exchanged *out,
                     struct rv_error *err) {
    const redisReply *ids = reply->element[2];
    if (ids->type != REDIS_REPLY_ARRAY) return rv_rd_fail_answer(queue, err);
    if (!ids->elements) return 0;
    int rc = make_room(out, ids->elements, err);
    if (rc) return rc;
    return rv_rd_records_show(queue, ids, reply->element[3], reply->element[4], out->jobs, NULL,
                              err);
}

int rv_rd_swap_fail_late(const char *queue, struct rv_error *err) {
    return rv_fail(err, REEVE_ESTATE, "exchange with queue %s: a later request was answered",
                   queue);
}

int rv_rd_swap_read_given(struct rv_reader *reader, const char *queue, struct rv_exchanged *out,
                          struct rv_error *err) {
    char id[REEVE_ID_SIZE];
    if (!read_head_on(reader, out)) return rv_rd_fail_answer(queue, err);
    struct rv_bytes claim = rv_read_bytes(reader, rv_read_uint(reader, 2));
    rv_read_text(reader, rv_read_u8(reader), id, sizeof id);
    if (reader->failed) return rv_rd_fail_answer(queue, err);
    struct rv_bytes record = {reader->at, (size_t)(reader->end - reader->at)};
    struct rv_rd_shown shown = {.id = id, .record = record, .claim = claim};
    int rc = make_room(out, 1, err);
    return rc ? rc : rv_rd_record_show(queue, &shown, &out->jobs[0], err);
}

/* Does an answer tell only jobs, because all outcomes are well? */
static bool is_bare(const redisReply *reply) {
    return reply->type == REDIS_REPLY_ARRAY && reply->elements >= 4 && reply->elements % 2 == 0;
}

int rv_rd_swap_read(const redisReply *reply, struct rv_exchange *exchange, struct rv_exchanged *out,
                    struct rv_error *err) {
    const char *queue = exchange->queue;
    bool bare = is_bare(reply), head_alone = reply->type == REDIS_REPLY_STRING;
    if (rv_rd_is_array(reply, 1)) return rv_rd_swap_fail_late(queue, err);
    if (!bare && !head_alone && !rv_rd_is_array(reply, 5)) return rv_rd_fail_answer(queue, err);
    if (!read_head(rv_rd_bytes(head_alone ? reply : reply->element[0]), out))
        return rv_rd_fail_answer(queue, err);
    read_statuses(bare || head_alone ? (struct rv_bytes){0} : rv_rd_bytes(reply->element[1]),
                  exchange);
    if (head_alone) return 0;
    return bare ? read_bare_jobs(reply, queue, out, err) : read_jobs(reply, queue, out, err);
}
