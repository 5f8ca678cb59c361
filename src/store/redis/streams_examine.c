/* The doctor: groups of streams, with those of compat that this space has used. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/redis/examine.h"
#include "store/redis/streams.h"
#include "store/redis/streams_call.h"
#include "store/redis/types.h"

enum { ARGS_MAX = 64, NAMES_MAX = 100, HARMS = 3 };

/* What lua/stream_examine.lua finds, in its order. */
static const struct {
    const char *what;
    bool grave;
} harms[HARMS] = {
    {"streams that wait in no line (can be offered again)", true},
    {"owned streams without a deadline (over now)", true},
    {"entries of owners who are none", false},
};

struct counts {
    size_t groups, wrong;
    int64_t harms[HARMS];
};

static int step(struct rv_rd_exam *exam, const struct rv_group *group, const char *part,
                char cursor[24], struct counts *counts, struct rv_error *err) {
    struct rv_rd_stream_call call;
    redisReply *reply;
    rv_rd_stream_call_init(&call, &exam->store->base, group, RV_REDIS_LUA_STREAM_EXAMINE, ARGS_MAX);
    rv_rd_args_add_text(&call.args, part);
    rv_rd_args_add_text(&call.args, cursor);
    rv_rd_args_add_number(&call.args, exam->repair);
    int rc = rv_rd_stream_run(&call, &reply, err);
    if (rc) return rc;
    if (rv_rd_is_array(reply, 1 + HARMS) && reply->element[0]->str) {
        (void)snprintf(cursor, 24, "%s", reply->element[0]->str);
        for (size_t i = 0; i < HARMS; i++)
            counts->harms[i] += reply->element[1 + i]->integer;
    } else {
        rc = rv_rd_stream_fail_answer(group, err);
    }
    freeReplyObject(reply);
    return rc;
}

static int examine_group(struct rv_rd_exam *exam, const struct rv_group *group,
                         struct counts *counts, struct rv_error *err) {
    static const char *const parts[] = {"stream", "lease", "held"};
    struct rv_error reason;
    char place_name[RV_RD_PLACE_SIZE];
    struct rv_rd_shard place = rv_rd_stream_place(group, place_name);
    int rc = 0;
    if (rv_rd_exam_passes(exam, &place)) return 0;
    counts->groups++;
    if (rv_rd_types_check_group(exam->store, group, &reason)) {
        rv_find(&exam->book, REEVE_BAD, "streams", "%s", reason.text);
        counts->wrong++;
        return 0;
    }
    for (size_t i = 0; i < sizeof parts / sizeof(*parts); i++) {
        char cursor[24] = "0";
        do {
            rc = step(exam, group, parts[i], cursor, counts, err);
        } while (!rc && strcmp(cursor, "0") != 0);
        if (rc) return rc;
    }
    return 0;
}

static int examine_all(struct rv_rd_exam *exam, bool compat, struct counts *counts,
                       struct rv_error *err) {
    char after[REEVE_NAME_SIZE] = "";
    for (;;) {
        struct rv_names names = {0};
        int rc =
            rv_rd_stream_listed(exam->store, compat, *after ? after : NULL, NAMES_MAX, &names, err);
        for (size_t i = 0; !rc && i < names.count; i++) {
            const struct rv_group group = {.name = names.names[i], .compat = compat};
            rc = examine_group(exam, &group, counts, err);
            if (rv_rd_exam_misses(exam, rc)) rc = 0;
        }
        bool more = !rc && names.count == NAMES_MAX;
        if (more) (void)snprintf(after, sizeof after, "%s", names.names[names.count - 1]);
        free(names.names);
        if (rc || !more) return rc;
    }
}

int rv_rd_examine_streams(struct rv_rd_exam *exam, struct rv_error *err) {
    struct counts counts = {0};
    bool fine = true;
    int rc = examine_all(exam, false, &counts, err);
    if (!rc) rc = examine_all(exam, true, &counts, err);
    for (size_t i = 0; i < HARMS; i++) {
        enum reeve_health health = harms[i].grave ? REEVE_BAD : REEVE_DOUBTFUL;
        if (exam->repair) health = REEVE_REPAIRED;
        if (!counts.harms[i]) continue;
        rv_find(&exam->book, health, "streams", "%lld %s", (long long)counts.harms[i],
                harms[i].what);
        fine = false;
    }
    if (!rc && fine && !counts.wrong)
        rv_find(&exam->book, REEVE_FINE, "streams", "%zu groups%s, each stream where it should be",
                counts.groups, rv_rd_exam_extent(exam));
    return rc;
}
