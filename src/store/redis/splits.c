#include "store/redis/splits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"

enum { EMPTY_MS = 50 }; /* for so long an empty shard may be passed over */

uint64_t rv_rd_hash(const char *text) { /* FNV-1a, then a round for its lower bits */
    uint64_t hash = 0xcbf29ce484222325;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
    hash = (hash ^ hash >> 32) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 29;
}

int rv_rd_splits_init(struct rv_rd_splits *splits, struct rv_error *err) {
    if (!pthread_mutex_init(&splits->lock, NULL)) return 0;
    return rv_fail(err, REEVE_ENOMEM, "out of memory");
}

struct rv_rd_rest {
    uint64_t seen;
    int64_t until_ms;
    unsigned visits; /* that it was spared */
};

void rv_rd_splits_release(struct rv_rd_splits *splits) {
    for (size_t i = 0; i < RV_RD_SPLITS; i++)
        free(splits->places[i].rests);
    (void)pthread_mutex_destroy(&splits->lock);
}

static struct rv_rd_split_place *place_of(struct rv_rd_splits *splits, const char *queue) {
    return &splits->places[rv_rd_hash(queue) % RV_RD_SPLITS];
}

bool rv_rd_splits_find(struct rv_rd_splits *splits, const char *queue, struct rv_rd_split *out) {
    const struct rv_rd_split_place *place = place_of(splits, queue);
    (void)pthread_mutex_lock(&splits->lock);
    bool known = strcmp(place->queue, queue) == 0;
    *out = (struct rv_rd_split){queue, known ? place->count : 1, known ? place->epoch : 0};
    (void)pthread_mutex_unlock(&splits->lock);
    return known;
}

void rv_rd_splits_remember(struct rv_rd_splits *splits, const struct rv_rd_split *split) {
    struct rv_rd_split_place *place = place_of(splits, split->queue);
    (void)pthread_mutex_lock(&splits->lock);
    if (strcmp(place->queue, split->queue) != 0 || place->epoch != split->epoch) {
        free(place->rests);
        uint64_t turn = rv_random_nonzero(&rv_random_system) % split->count;
        *place = (struct rv_rd_split_place){
            .count = split->count, .epoch = split->epoch, .turn = (unsigned)turn};
        (void)snprintf(place->queue, sizeof place->queue, "%s", split->queue);
    }
    (void)pthread_mutex_unlock(&splits->lock);
}

/* ---- claims ---- */
/* The place of a split that is still the one that is known, with the lock; NULL: without. */
static struct rv_rd_split_place *enter(struct rv_rd_splits *splits,
                                       const struct rv_rd_split *split) {
    struct rv_rd_split_place *place = place_of(splits, split->queue);
    (void)pthread_mutex_lock(&splits->lock);
    if (strcmp(place->queue, split->queue) == 0 && place->epoch == split->epoch) return place;
    (void)pthread_mutex_unlock(&splits->lock);
    return NULL;
}

static void leave(struct rv_rd_splits *splits) {
    (void)pthread_mutex_unlock(&splits->lock);
}

static unsigned next_turn(struct rv_rd_split_place *place) {
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real);
    if (now_ms - place->empty_at_ms > EMPTY_MS) place->empty = 0;
    for (unsigned i = 0; i < place->count; i++) {
        unsigned shard = place->turn++ % place->count;
        if (!(place->empty >> shard & 1)) return shard;
    }
    return place->turn++ % place->count;
}

void rv_rd_splits_lane(struct rv_rd_splits *splits, const struct rv_rd_split *split,
                       struct rv_rd_turn *turn) {
    struct rv_rd_split_place *place = turn->lane ? enter(splits, split) : NULL;
    turn->is_news = !turn->lane;
    turn->repeats = false;
    if (!place) return;
    unsigned at = turn->lane % RV_RD_SPLIT_LANES;
    bool known = place->lanes[at].lane == turn->lane;
    turn->is_news = known && turn->number > place->lanes[at].number;
    turn->repeats = known && turn->number == place->lanes[at].number;
    if (turn->repeats) turn->shard = place->lanes[at].asked;
    leave(splits);
}

void rv_rd_splits_turn(struct rv_rd_splits *splits, const struct rv_rd_split *split,
                       struct rv_rd_turn *turn) {
    struct rv_rd_split_place *place = enter(splits, split);
    turn->shard = 0;
    if (!place) return;
    turn->shard = next_turn(place);
    leave(splits);
}

void rv_rd_splits_asks(struct rv_rd_splits *splits, const struct rv_rd_split *split,
                       const struct rv_rd_turn *turn, unsigned shard) {
    struct rv_rd_split_place *place = turn->lane ? enter(splits, split) : NULL;
    if (!place) return;
    unsigned at = turn->lane % RV_RD_SPLIT_LANES;
    place->lanes[at].lane = turn->lane;
    place->lanes[at].number = turn->number;
    place->lanes[at].asked = shard;
    leave(splits);
}

void rv_rd_splits_saw(struct rv_rd_splits *splits, const struct rv_rd_split *split, unsigned shard,
                      bool empty) {
    struct rv_rd_split_place *place = enter(splits, split);
    if (!place) return;
    uint64_t bit = UINT64_C(1) << shard;
    if (empty && !place->empty) place->empty_at_ms = rv_clock_boot_ms(&rv_clock_real);
    place->empty = empty ? place->empty | bit : place->empty & ~bit;
    leave(splits);
}

/* ---- upkeep ---- */
/* One of a place, with the lock; NULL: it has none. */
static struct rv_rd_rest *rest_of(struct rv_rd_split_place *place, unsigned what, unsigned shard) {
    return place->rests ? &place->rests[RV_RD_RESTS * shard + what] : NULL;
}

void rv_rd_splits_rest(struct rv_rd_splits *splits, const struct rv_rd_split *split, unsigned what,
                       unsigned shard, uint64_t seen, int64_t until_ms) {
    struct rv_rd_split_place *place = enter(splits, split);
    if (!place) return;
    if (!place->rests) place->rests = calloc(RV_RD_RESTS * place->count, sizeof *place->rests);
    struct rv_rd_rest *rest = rest_of(place, what, shard);
    /* At first not all are to be visited in the same round. Without memory they are. */
    if (rest)
        *rest = (struct rv_rd_rest){seen, until_ms, rest->seen ? 0 : shard % RV_RD_REST_VISITS};
    leave(splits);
}

int64_t rv_rd_splits_rest_until(struct rv_rd_splits *splits, const struct rv_rd_split *split,
                                unsigned what, unsigned shard, uint64_t seen) {
    struct rv_rd_split_place *place = enter(splits, split);
    if (!place) return 0;
    struct rv_rd_rest *rest = rest_of(place, what, shard);
    int64_t until_ms = rest && rest->seen == seen ? rest->until_ms : 0;
    if (until_ms && ++rest->visits > RV_RD_REST_VISITS) until_ms = 0;
    leave(splits);
    return until_ms;
}
