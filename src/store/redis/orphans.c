/* The doctor: things that lack what they belong to. Where only this library writes there are none.
 * Looked at in many small steps, each of which sees one moment. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/redis/examine.h"
#include "store/redis/lines.h"
#include "store/redis/script.h"

enum { ARGS_MAX = 64, HARMS = 5 };

/* What lua/examine_records.lua finds, in its order. */
static const struct {
    const char *what;
    bool mends;
} harms[HARMS] = {
    {"running jobs that no claim has (ready again)", true},
    {"jobs that stand in no line", true},
    {"jobs that were told to stop, without a mark that says so", true},
    {"jobs that have lost their body or result", false},
    {"records that cannot be read", false},
};

/* What lua/examine_rest.lua looks through. */
static const struct {
    const char *key, *what;
    bool grave; /* a job hangs on it: it is bad, not just litter */
} rest[] = {
    {"claims", "claims that lack a lease or count their jobs wrong", true},
    {"lease", "leases without a claim", false},
    {"delayed", "entries of delayed jobs that are not", false},
    {"kept", "entries of kept jobs that are not", false},
    {"failed", "entries of failed jobs that are not", false},
    {"back", "entries of jobs handed back that are not", false},
    {"marks", "marks without a job to stop", false},
    {"body", "bodies without a job", false},
    {"result", "results without a job", false},
    {"notes", "notes without a job", false},
    {"lanes", "lanes that would never be forgotten", false},
    {"silent", "entries of lanes that are not", false},
    {"offers", "offers to stand by that cannot be read", false},
};
enum { REST = sizeof rest / sizeof *rest };

struct counts {
    int64_t harms[HARMS], rest[REST];
};

/* ---- records ---- */
static int examine_records(struct rv_rd_exam *exam, const struct rv_rd_shard *shard,
                           struct counts *counts, struct rv_error *err) {
    struct rv_rd_lines lines = {0};
    struct rv_rd_tally tally = {.cursor = "0"};
    int rc = 0;
    do {
        rc = rv_rd_tally_step(exam, shard, exam->repair, &tally, &lines, err);
    } while (!rc && strcmp(tally.cursor, "0") != 0);
    for (size_t i = 0; i < HARMS; i++)
        counts->harms[i] += tally.found[i];
    int64_t lineless = 0;
    if (!rc) rc = rv_rd_lines_check(exam, shard, &lines, &lineless, err);
    counts->harms[1] += lineless;
    rv_rd_lines_release(&lines);
    return rc;
}

/* ---- the rest ---- */
static int examine_rest(struct rv_rd_exam *exam, const struct rv_rd_shard *shard, const char *key,
                        int64_t *count, struct rv_error *err) {
    char cursor[24] = "0";
    int rc = 0;
    do {
        struct rv_rd_args args;
        struct rv_rd_script script = {.which = RV_REDIS_LUA_EXAMINE_REST,
                                      .shard = *shard,
                                      .needs = RV_RD_NEEDS,
                                      .args = &args,
                                      .timeout_ms = exam->store->timeout_ms};
        redisReply *reply;
        rv_rd_args_init(&args, ARGS_MAX);
        rv_rd_args_add_text(&args, key);
        rv_rd_args_add_text(&args, cursor);
        rv_rd_args_add_number(&args, exam->repair);
        rc = rv_rd_script_run(exam->store, &script, &reply, err);
        rv_rd_args_release(&args);
        if (rc) break;
        if (rv_rd_is_array(reply, 2) && reply->element[0]->str) {
            (void)snprintf(cursor, sizeof cursor, "%s", reply->element[0]->str);
            *count += reply->element[1]->integer;
        } else {
            rc = rv_rd_fail_answer(shard->queue, err);
        }
        freeReplyObject(reply);
    } while (!rc && strcmp(cursor, "0") != 0);
    return rc;
}

/* Claims before records: a lease that is put back saves their jobs. */
static int examine_shard(struct rv_rd_exam *exam, const struct rv_rd_shard *shard, void *arg,
                         struct rv_error *err) {
    struct counts *counts = arg;
    int rc = 0;
    for (size_t i = 0; !rc && i < REST; i++)
        rc = examine_rest(exam, shard, rest[i].key, &counts->rest[i], err);
    return rc ? rc : examine_records(exam, shard, counts, err);
}

/* ---- telling ---- */
static void tell(struct rv_rd_exam *exam, int64_t count, bool grave, bool mends, const char *what) {
    enum reeve_health health = grave ? REEVE_BAD : REEVE_DOUBTFUL;
    if (exam->repair && mends) health = REEVE_REPAIRED;
    if (count) rv_find(&exam->book, health, "orphans", "%lld %s", (long long)count, what);
}

int rv_rd_examine_orphans(struct rv_rd_exam *exam, struct rv_error *err) {
    struct counts counts = {0};
    size_t before = exam->book.out->count;
    int rc = rv_rd_each_shard(exam, examine_shard, &counts, err);
    for (size_t i = 0; i < HARMS; i++)
        tell(exam, counts.harms[i], true, harms[i].mends, harms[i].what);
    for (size_t i = 0; i < REST; i++)
        tell(exam, counts.rest[i], rest[i].grave, true, rest[i].what);
    if (!rc && exam->book.out->count == before)
        rv_find(&exam->book, REEVE_FINE, "orphans", "everything%s has what it belongs to",
                rv_rd_exam_extent(exam));
    return rc;
}
