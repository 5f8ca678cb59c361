/* Things that lack what they belong to. In a file that only this library writes there are none. */
#include "store/sqlite/examine.h"

/* Each is counted by one statement and mended by others, none if it cannot be. */
static const struct orphan {
    enum rv_sqlite_sql find, mend[2];
    int mends;
    bool grave; /* a job hangs on it: it is bad, not just litter */
    const char *what;
} orphans[] = {
    {RV_SQLITE_SQL_EXAMINE_UNHELD,
     {RV_SQLITE_SQL_EXAMINE_UNHELD_MEND},
     1,
     true,
     "running jobs that no claim has (ready again)"},
    {RV_SQLITE_SQL_EXAMINE_HELD,
     {RV_SQLITE_SQL_EXAMINE_HELD_MEND},
     1,
     true,
     "jobs that do not run and yet have a holder"},
    {RV_SQLITE_SQL_EXAMINE_CLAIMS,
     {RV_SQLITE_SQL_EXAMINE_CLAIMS_MEND, RV_SQLITE_SQL_EXAMINE_CLAIMS_EMPTY},
     2,
     true,
     "claims that count their jobs wrong or have none"},
    {RV_SQLITE_SQL_EXAMINE_BODILESS, {0}, 0, true, "jobs that have lost their body"},
    {RV_SQLITE_SQL_EXAMINE_QUEUELESS, {0}, 0, true, "jobs of a queue that is not there"},
    {RV_SQLITE_SQL_EXAMINE_BODIES,
     {RV_SQLITE_SQL_EXAMINE_BODIES_MEND},
     1,
     false,
     "bodies without a job"},
    {RV_SQLITE_SQL_EXAMINE_NOTES,
     {RV_SQLITE_SQL_EXAMINE_NOTES_MEND},
     1,
     false,
     "notes without a job"},
    {RV_SQLITE_SQL_EXAMINE_LANES,
     {RV_SQLITE_SQL_EXAMINE_LANES_MEND},
     1,
     false,
     "lanes of a queue that is not there"},
    {RV_SQLITE_SQL_EXAMINE_EVENTS,
     {RV_SQLITE_SQL_EXAMINE_EVENTS_MEND},
     1,
     false,
     "events of a queue that is not there"},
};
enum { KINDS = sizeof orphans / sizeof *orphans };

static int count_all(struct rv_sq_step *step, int64_t counts[KINDS], struct rv_error *err) {
    int rc = 0;
    for (size_t i = 0; !rc && i < KINDS; i++) {
        struct rv_sq_query query = rv_sq_query(step->conn, orphans[i].find);
        counts[i] = rv_sq_row(&query) ? rv_sq_int(&query, 0) : 0;
        rc = rv_sq_end(&query, 0, err);
    }
    return rc;
}

static int look(struct rv_sq_exam *exam, int64_t counts[KINDS], struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_read(&step, &exam->store->base, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, count_all(&step, counts, err), err);
}

static int mend_all(struct rv_sq_exam *exam, const int64_t counts[KINDS], struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_write(&step, &exam->store->base, exam->store->timeout_ms, err);
    if (rc) return rc;
    for (size_t i = 0; i < KINDS; i++) {
        for (int j = 0; !rc && counts[i] && j < orphans[i].mends; j++) {
            struct rv_sq_query query = rv_sq_query(step.conn, orphans[i].mend[j]);
            rc = rv_sq_run(&query, NULL, err);
        }
    }
    step.rings = true; /* some may be ready again */
    return rv_sq_step_end(&step, rc, err);
}

static void tell(struct rv_sq_exam *exam, const struct orphan *orphan, int64_t count) {
    enum reeve_health health = orphan->grave ? REEVE_BAD : REEVE_DOUBTFUL;
    if (exam->repair && orphan->mends) health = REEVE_REPAIRED;
    rv_find(&exam->book, health, "orphans", "%lld %s", (long long)count, orphan->what);
}

int rv_sq_examine_orphans(struct rv_sq_exam *exam, struct rv_error *err) {
    int64_t counts[KINDS] = {0}, found = 0;
    int rc = look(exam, counts, err);
    if (rc) return rc;
    for (size_t i = 0; i < KINDS; i++)
        found += counts[i];
    if (!found) rv_find(&exam->book, REEVE_FINE, "orphans", "everything has what it belongs to");
    if (found && exam->repair) rc = mend_all(exam, counts, err);
    for (size_t i = 0; !rc && i < KINDS; i++)
        if (counts[i]) tell(exam, &orphans[i], counts[i]);
    return rc;
}
