/* The doctor: leases of names, and the lines for them. Looked at in small steps, as orphans.c does
 * with queues. */
#include <stdio.h>
#include <string.h>

#include "store/redis/examine.h"
#include "store/redis/grants.h"
#include "store/redis/script.h"

/* What lua/examine_grants.lua looks through. */
static const struct {
    const char *key, *what;
    bool grave; /* a name hangs on it: it is bad, not just litter */
} parts[] = {
    {"grants", "names that cannot be read, or that no list has", true},
    {"tickets", "waiters without a place in line", false},
    {"line", "places in line without a waiter", false},
    {"grants_by_name", "entries of names that are not known", false},
    {"grants_until", "leases of names that are not known", false},
    {"tickets_until", "deadlines of waiters that are not known", false},
};
enum { PARTS = sizeof parts / sizeof *parts };

struct counts {
    int64_t found, put_off; /* those that must wait to be mended are among the found */
};

static int step(struct rv_rd_exam *exam, const char *key, char *cursor, size_t room,
                struct counts *counts, struct rv_error *err) {
    const char *mend = exam->repair ? "1" : "0";
    const struct rv_bytes args[] = {{key, strlen(key)}, {cursor, strlen(cursor)}, {mend, 1}};
    redisReply *reply = NULL;
    int rc = rv_rd_grants_run(exam->store, RV_REDIS_LUA_EXAMINE_GRANTS, args, 3, &reply, err);
    if (rc) return rc;
    if (rv_rd_is_array(reply, 3) && reply->element[0]->str) {
        (void)snprintf(cursor, room, "%s", reply->element[0]->str);
        counts->found += reply->element[1]->integer;
        counts->put_off += reply->element[2]->integer;
    } else {
        rc = rv_fail(err, REEVE_ECORRUPT, "the names of the space cannot be read");
    }
    freeReplyObject(reply);
    return rc;
}

static int examine_part(struct rv_rd_exam *exam, const char *key, struct counts *counts,
                        struct rv_error *err) {
    char cursor[24] = "0";
    int rc;
    do {
        rc = step(exam, key, cursor, sizeof cursor, counts, err);
    } while (!rc && strcmp(cursor, "0") != 0);
    return rc;
}

static void tell(struct rv_rd_exam *exam, enum reeve_health health, int64_t count,
                 const char *what) {
    if (count) rv_find(&exam->book, health, "names", "%lld %s", (long long)count, what);
}

int rv_rd_examine_grants(struct rv_rd_exam *exam, struct rv_error *err) {
    size_t before = exam->book.out->count;
    int rc = 0;
    for (size_t i = 0; !rc && i < PARTS; i++) {
        struct counts counts = {0};
        rc = examine_part(exam, parts[i].key, &counts, err);
        enum reeve_health health = parts[i].grave ? REEVE_BAD : REEVE_DOUBTFUL;
        if (exam->repair) health = REEVE_REPAIRED;
        tell(exam, health, counts.found - counts.put_off, parts[i].what);
        tell(exam, REEVE_BAD, counts.put_off,
             "names that cannot be read, whose lease may stand: to be mended when it is over");
    }
    if (!rc && exam->book.out->count == before)
        rv_find(&exam->book, REEVE_FINE, "names", "each name and waiter is where it should be");
    return rc;
}
