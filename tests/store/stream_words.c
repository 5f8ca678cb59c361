#include "store/stream_words.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"

static char name_of_feeds[REEVE_NAME_SIZE] = "feeds";
struct rv_group feeds = {.name = name_of_feeds};

void name_streams(unsigned number) {
    feeds.compat = getenv("STREAMS_COMPAT") != NULL;
    if (feeds.compat) (void)snprintf(name_of_feeds, sizeof name_of_feeds, "feeds-%u", number);
}

bool offer_stream(struct fixture *f, const char *name) { /* true: it is new */
    bool known;
    CHECK_CALL(f, rv_store_stream_offer(handle(f), &feeds, name, "{\"a\":1}", 7, &known, &f->err));
    return !known;
}

void offer_streams(struct fixture *f, size_t count) {
    char name[32];
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(name, sizeof name, "s%03zu", i);
        CHECK(offer_stream(f, name));
    }
}

struct rv_stream_ask stream_ask(uint64_t holder, size_t want) {
    return (struct rv_stream_ask){.member = "m-1",
                                  .by = "tester",
                                  .holder = holder,
                                  .want = want,
                                  .lease_ms = LEASE_MS,
                                  .dead_max = DEAD_MAX,
                                  .timeout_ms = CALL_MS};
}

uint64_t draw_holder(void) {
    return rv_random_nonzero(&rv_random_system);
}

struct rv_streams take_streams(struct fixture *f, uint64_t holder, size_t want) {
    struct rv_stream_ask ask = stream_ask(holder, want);
    struct rv_streams streams;
    CHECK_CALL(f, rv_store_stream_take(handle(f), &feeds, &ask, &streams, &f->err));
    for (size_t i = 0; i < streams.count; i++)
        (void)adopt(f, streams.streams[i]);
    (void)adopt(f, streams.streams);
    return streams;
}

/* The one that waits first, as a new holder. */
struct rv_stream_ref take_stream(struct fixture *f) {
    uint64_t holder = draw_holder();
    struct rv_streams streams = take_streams(f, holder, 1);
    CHECK_INT(streams.count, 1);
    return (struct rv_stream_ref){
        .name = streams.streams[0]->name, .holder = holder, .token = streams.token};
}

size_t take_some(struct fixture *f, size_t want) {
    return take_streams(f, draw_holder(), want).count;
}

struct rv_stream_ref take_new_stream(struct fixture *f, const char *name) {
    CHECK(offer_stream(f, name));
    struct rv_stream_ref ref = take_stream(f);
    CHECK_STR(ref.name, name);
    return ref;
}

struct rv_stream_renewal renew_stream(struct fixture *f, const struct rv_stream_ref *ref) {
    struct rv_stream_renewal renewal = {
        .name = ref->name, .holder = ref->holder, .token = ref->token, .lease_ms = LEASE_MS};
    CHECK_CALL(f, rv_store_stream_renew(handle(f), &feeds, &renewal, 1, CALL_MS, &f->err));
    return renewal;
}

int end_stream(struct fixture *f, const struct rv_stream_ref *ref) {
    return rv_store_stream_end(handle(f), &feeds, ref, CALL_MS, &f->err);
}

int yield_stream(struct fixture *f, const struct rv_stream_ref *ref) {
    bool dead;
    return rv_store_stream_yield(handle(f), &feeds, ref, NULL, CALL_MS, &dead, &f->err);
}

bool fail_stream(struct fixture *f, const struct rv_stream_ref *ref, int64_t max_retries) {
    struct rv_stream_fault fault = {
        .reason = "exit:1", .max_retries = max_retries, .dead_max = DEAD_MAX};
    bool dead;
    CHECK_CALL(f, rv_store_stream_yield(handle(f), &feeds, ref, &fault, CALL_MS, &dead, &f->err));
    return dead;
}

struct rv_stream_scanned scan_streams(struct fixture *f, struct rv_stream_scan scan) {
    struct rv_stream_scanned scanned;
    CHECK_CALL(f, rv_store_stream_recover(handle(f), &feeds, &scan, &scanned, &f->err));
    for (size_t i = 0; i < scanned.count; i++)
        (void)adopt(f, scanned.lapsed[i]);
    (void)adopt(f, scanned.lapsed);
    return scanned;
}

struct rv_stream_scanned scan_group(struct fixture *f) {
    return scan_streams(f, (struct rv_stream_scan){.min_idle_ms = MIN_IDLE_MS,
                                                   .max_retries = RETRIES,
                                                   .dead_max = DEAD_MAX});
}

const struct reeve_stream *read_stream(struct fixture *f, const char *name) {
    struct reeve_stream *stream;
    CHECK_CALL(f, rv_store_stream_read(handle(f), &feeds, name, &stream, &f->err));
    return adopt(f, stream);
}

bool has_stream(struct fixture *f, const char *name) {
    struct reeve_stream *stream;
    int rc = rv_store_stream_read(handle(f), &feeds, name, &stream, &f->err);
    free(stream);
    CHECK(!rc || rc == REEVE_ENOENT);
    return !rc;
}

struct reeve_group group_stats(struct fixture *f) {
    struct reeve_group out;
    CHECK_CALL(f, rv_store_stream_stats(handle(f), &feeds, &out, &f->err));
    return out;
}

struct rv_letters read_letters(struct fixture *f) {
    struct rv_letters out;
    CHECK_CALL(f, rv_store_stream_letters(handle(f), &feeds, NULL, RV_LIST_MAX, &out, &f->err));
    for (size_t i = 0; i < out.count; i++)
        (void)adopt(f, out.letters[i]);
    (void)adopt(f, out.letters);
    return out;
}
