/* The doctor: queues whose number of shards was being changed when somebody died over it. Whoever
 * uses such a queue next brings that to its end (settle.h); the doctor does if he is to. */
#include "store/redis/examine.h"
#include "store/redis/settle.h"

enum { TURNS_MAX = 3 }; /* what the space has lost it is told first */

struct tally {
    unsigned split;     /* queues that lie, or have lain, in several shards */
    unsigned unsettled; /* of them */
};

/* Do the space and all shards say the same? */
static int look(struct rv_rd_exam *exam, const char *queue, struct rv_rd_said *said, bool *settled,
                struct rv_error *err) {
    int rc = rv_rd_said_read(exam->store, queue, said, err);
    *settled = !rc && said->epoch % 2 == 0;
    for (unsigned i = 0; !rc && *settled && i < said->count; i++) {
        struct rv_rd_shard_state state;
        if (rv_rd_exam_passes(exam, &(struct rv_rd_shard){queue, i, said->epoch})) continue;
        rc = rv_rd_shard_look(exam->store, queue, i, &state, err);
        *settled = !rc && state.epoch == said->epoch;
    }
    return rc;
}

static int mend(struct rv_rd_exam *exam, const char *queue, struct rv_rd_said *said, bool *settled,
                struct rv_error *err) {
    int rc = 0;
    for (int turn = 0; !rc && !*settled && turn < TURNS_MAX; turn++) {
        const struct rv_rd_split split = {queue, said->count, said->epoch};
        rc = rv_rd_settle(exam->store, &split, err);
        if (!rc) rc = look(exam, queue, said, settled, err);
    }
    return rc;
}

static int examine(struct rv_rd_exam *exam, const char *queue, void *arg, struct rv_error *err) {
    struct tally *tally = arg;
    struct rv_rd_said said;
    bool settled;
    int rc = look(exam, queue, &said, &settled, err);
    if (rv_rd_exam_misses(exam, rc)) return 0;
    if (rc == REEVE_ECORRUPT || rc == REEVE_ESCHEMA) return 0; /* other checks tell of it */
    if (rc) return rc;
    tally->split += said.epoch != 0;
    if (settled) return 0;
    tally->unsettled++;
    if (exam->repair) rc = mend(exam, queue, &said, &settled, err);
    if (rc) return rc;
    if (settled)
        rv_find(&exam->book, REEVE_REPAIRED, "shards", "queue %s: lies in %u shard%s now", queue,
                said.count, said.count == 1 ? "" : "s");
    else
        rv_find(&exam->book, REEVE_DOUBTFUL, "shards",
                "queue %s: a change of the number of its shards was cut off, or goes on just now; "
                "who uses it next, or a repair, brings it to its end",
                queue);
    return 0;
}

int rv_rd_examine_shards(struct rv_rd_exam *exam, struct rv_error *err) {
    struct tally tally = {0};
    int rc = rv_rd_each_queue(exam, examine, &tally, err);
    if (!rc && tally.split && !tally.unsettled)
        rv_find(&exam->book, REEVE_FINE, "shards",
                "all shards of %u queue%s%s are as they should be", tally.split,
                tally.split == 1 ? "" : "s", rv_rd_exam_extent(exam));
    return rc;
}
