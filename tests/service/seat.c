#include "service/seat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct rv_group group = {.name = "g"};

static void enter(struct seat *seat) {
    if (atomic_fetch_add(&seat->inside, 1)) atomic_store(&seat->overlap, true);
    if (atomic_load(&seat->ended)) atomic_store(&seat->late, true);
}

static void leave(struct seat *seat) {
    (void)atomic_fetch_sub(&seat->inside, 1);
}

size_t rival_takes(struct scene *s, uint64_t holder, int64_t lease_ms) {
    struct rv_stream_ask ask = {.member = "rival",
                                .by = "rival",
                                .holder = holder,
                                .want = 10,
                                .lease_ms = lease_ms,
                                .timeout_ms = 5000};
    struct rv_streams streams;
    struct rv_error err;
    if (rv_store_stream_take(s->r->service.store, &group, &ask, &streams, &err)) return 0;
    size_t count = streams.count;
    rv_streams_release(&streams);
    return count;
}

/* Stays until all that it has was renewed some times. */
static void outstay(struct seat *seat, const char *name) {
    struct reeve_member_stats stats = {.size = sizeof stats};
    bool held = true;
    int64_t until_ms = elapsed_ms() + SOON_MS;
    do {
        held = held && reeve_member_token(seat->member, name) &&
               !reeve_member_stats(seat->member, &stats) && elapsed_ms() < until_ms;
        (void)nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000L}, NULL);
    } while (held && stats.renewed_total < 4 * stats.owned);
    atomic_store(&seat->held, held);
}

static void on_owned(void *arg, const struct reeve_stream *stream) {
    struct seat *seat = arg;
    enter(seat);
    atomic_store(&seat->token, stream->token);
    atomic_store(&seat->retries, stream->retries);
    atomic_store(&seat->info_is_right, stream->info_size == 4 && !memcmp(stream->info, "info", 4));
    if (atomic_load(&seat->end_at_once)) (void)reeve_member_end(seat->member, stream->name);
    if (atomic_exchange(&seat->slow, false)) outstay(seat, stream->name);
    (void)atomic_fetch_add(&seat->owned, 1);
    leave(seat);
}

static void on_lost(void *arg, const struct reeve_stream *stream, enum reeve_lost why) {
    struct seat *seat = arg;
    enter(seat);
    if (reeve_member_token(seat->member, stream->name)) atomic_store(&seat->token_in_lost, true);
    if (rival_takes(seat->s, 77, LEASE_MS)) atomic_store(&seat->rival_got_it, true);
    atomic_store(&seat->why, why);
    (void)atomic_fetch_add(&seat->lost, 1);
    leave(seat);
}

static void on_lapsed(void *arg, const struct reeve_stream *stream) {
    struct seat *seat = arg;
    enter(seat);
    if (stream->member && !strcmp(stream->member, "rival"))
        (void)atomic_fetch_add(&seat->lapsed, 1);
    leave(seat);
}

static void on_ended(void *arg, int error, const char *text) {
    struct seat *seat = arg;
    enter(seat);
    atomic_store(&seat->error, error);
    if (text && *text) (void)atomic_fetch_add(&seat->ended, 1);
    leave(seat);
}

struct seat *seat_of(struct scene *s, int64_t lease_ms) {
    struct seat *seat = calloc(1, sizeof *seat);
    CHECK(seat);
    seat->s = s;
    seat->options = (struct reeve_member_options){.size = sizeof seat->options,
                                                  .lease_ms = lease_ms,
                                                  .scan_ms = 100,
                                                  .owned = on_owned,
                                                  .lost = on_lost,
                                                  .lapsed = on_lapsed,
                                                  .ended = on_ended,
                                                  .arg = seat};
    return seat;
}

void join(struct seat *seat) {
    CHECK_OK(reeve_member_open(&seat->member, seat->s->r, "g", &seat->options));
}

void part(struct seat *seat) {
    reeve_member_close(seat->member);
    CHECK(!atomic_load(&seat->overlap));
    CHECK(!atomic_load(&seat->late));
    CHECK_INT(atomic_load(&seat->ended), 1);
    free(seat);
}

void offer(struct scene *s, const char *name) {
    struct reeve_offer offer = {
        .size = sizeof offer, .group = "g", .name = name, .info = "info", .info_size = 4};
    bool known;
    CHECK_OK(reeve_stream_offer(s->r, &offer, &known));
    CHECK(!known);
}

void offer_many(struct scene *s, int count) {
    char name[32];
    for (int i = 0; i < count; i++) {
        (void)snprintf(name, sizeof name, "s%d", i);
        offer(s, name);
    }
}

void look_again(int *looks) {
    CHECK(++*looks < SOON_MS / LOOK_MS);
    (void)nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000L}, NULL);
}

struct reeve_group figures(struct scene *s) {
    struct reeve_group *block, figures;
    CHECK_OK(reeve_group_read(s->r, "g", 0, &block));
    figures = *block;
    reeve_free(block);
    return figures;
}

struct reeve_member_stats stats_of(struct seat *seat) {
    struct reeve_member_stats out = {.size = sizeof out};
    CHECK_OK(reeve_member_stats(seat->member, &out));
    return out;
}
