/* The doctor: queues whose number of shards was being changed when somebody died over it. Whoever
 * uses such a queue next brings that to its end (settle.h); the doctor does if he is to. And those
 * that were paused, or resumed, in a part of their shards. */
#include "store/redis/examine.h"
#include "store/redis/settle.h"

enum { TURNS_MAX = 3 }; /* what the space has lost it is told first */

struct tally {
    unsigned split;     /* queues that lie, or have lain, in several shards */
    unsigned unsettled; /* of them */
    unsigned unlike;    /* of them: paused in part */
};

/* What a queue looks like. */
struct view {
    struct rv_rd_said said;
    bool settled;
    unsigned paused, open; /* shards that could be looked at */
};

/* Do the space and all shards say the same? */
static int look(struct rv_rd_exam *exam, const char *queue, struct view *view,
                struct rv_error *err) {
    *view = (struct view){.paused = 0};
    const struct rv_rd_said *said = &view->said;
    int rc = rv_rd_said_read(exam->store, queue, &view->said, err);
    view->settled = !rc && said->epoch % 2 == 0;
    for (unsigned i = 0; !rc && view->settled && i < said->count; i++) {
        struct rv_rd_shard_state state;
        if (rv_rd_exam_passes(exam, &(struct rv_rd_shard){queue, i, said->epoch})) continue;
        rc = rv_rd_shard_look(exam->store, queue, i, &state, err);
        if (rc) break;
        view->settled = state.epoch == said->epoch;
        view->paused += state.meta.paused;
        view->open += !state.meta.paused;
    }
    return rc;
}

static int mend(struct rv_rd_exam *exam, const char *queue, struct view *view,
                struct rv_error *err) {
    int rc = 0;
    for (int turn = 0; !rc && !view->settled && turn < TURNS_MAX; turn++) {
        const struct rv_rd_split split = {queue, view->said.count, view->said.epoch};
        rc = rv_rd_settle(exam->store, &split, err);
        if (!rc) rc = look(exam, queue, view, err);
    }
    return rc;
}

static int tell_unsettled(struct rv_rd_exam *exam, const char *queue, struct view *view,
                          struct rv_error *err) {
    int rc = exam->repair ? mend(exam, queue, view, err) : 0;
    if (rc) return rc;
    if (view->settled)
        rv_find(&exam->book, REEVE_REPAIRED, "shards", "queue %s: lies in %u shard%s now", queue,
                view->said.count, view->said.count == 1 ? "" : "s");
    else
        rv_find(&exam->book, REEVE_DOUBTFUL, "shards",
                "queue %s: a change of the number of its shards was cut off, or goes on just now; "
                "who uses it next, or a repair, brings it to its end",
                queue);
    return 0;
}

/* A pause that did not reach all shards, or its end. Nobody knows which: paused is what does no
 * harm, for jobs that wait can be let go, and what has run cannot be taken back. */
static int tell_unlike(struct rv_rd_exam *exam, const char *queue, const struct view *view,
                       struct rv_error *err) {
    int rc = exam->repair ? rv_rd_pause(&exam->store->base, queue, true, err) : 0;
    if (rc) return rc;
    if (exam->repair)
        rv_find(&exam->book, REEVE_REPAIRED, "shards",
                "queue %s: is paused in all its shards now, of which %u were and %u were not; "
                "reeve queue resume, if it should not be",
                queue, view->paused, view->open);
    else
        rv_find(&exam->book, REEVE_BAD, "shards",
                "queue %s: is paused in %u of its shards and in %u it is not: pause or resume it "
                "again (a repair pauses it: what waits can be let go, what ran cannot be undone)",
                queue, view->paused, view->open);
    return 0;
}

static int examine(struct rv_rd_exam *exam, const char *queue, void *arg, struct rv_error *err) {
    struct tally *tally = arg;
    struct view view;
    int rc = look(exam, queue, &view, err);
    if (rv_rd_exam_misses(exam, rc)) return 0;
    if (rc == REEVE_ECORRUPT || rc == REEVE_ESCHEMA) return 0; /* other checks tell of it */
    if (rc) return rc;
    tally->split += view.said.epoch != 0;
    if (!view.settled) {
        tally->unsettled++;
        rc = tell_unsettled(exam, queue, &view, err);
    }
    if (rc || !view.settled || !view.paused || !view.open) return rc;
    tally->unlike++;
    return tell_unlike(exam, queue, &view, err);
}

int rv_rd_examine_shards(struct rv_rd_exam *exam, struct rv_error *err) {
    struct tally tally = {0};
    int rc = rv_rd_each_queue(exam, examine, &tally, err);
    if (!rc && tally.split && !tally.unsettled && !tally.unlike)
        rv_find(&exam->book, REEVE_FINE, "shards",
                "all shards of %u queue%s%s are as they should be", tally.split,
                tally.split == 1 ? "" : "s", rv_rd_exam_extent(exam));
    return rc;
}
