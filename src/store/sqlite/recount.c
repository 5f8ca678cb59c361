/* The counters of queues against the records that are there. */
#include "store/sqlite/examine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A queue as its row counts it, and as it is. */
struct tally {
    int64_t n;
    char space[REEVE_NAME_SIZE], name[REEVE_NAME_SIZE];
    int64_t token, seq; /* the latest by its row: at least those in use (J4, J9) */
    int64_t token_used, seq_used;
    int64_t counted[REEVE_CANCELLED + 1], there[REEVE_CANCELLED + 1];
};

struct tallies {
    struct tally *all; /* by n */
    size_t count, room;
};

/* ---- counting ---- */
static struct tally *add(struct tallies *tallies) {
    if (tallies->count == tallies->room) {
        size_t room = tallies->room ? 2 * tallies->room : 16;
        struct tally *grown = realloc(tallies->all, room * sizeof *grown);
        if (!grown) return NULL;
        tallies->all = grown;
        tallies->room = room;
    }
    struct tally *tally = &tallies->all[tallies->count++];
    *tally = (struct tally){0};
    return tally;
}

static int compare(const void *key, const void *item) {
    int64_t n = *(const int64_t *)key, other = ((const struct tally *)item)->n;
    return n < other ? -1 : n > other;
}

/* NULL: there is no such queue. */
static struct tally *find(const struct tallies *tallies, int64_t n) {
    if (!tallies->count) return NULL;
    return bsearch(&n, tallies->all, tallies->count, sizeof *tallies->all, compare);
}

static int read_queues(struct rv_sq_step *step, struct tallies *out, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_RECOUNT_QUEUES);
    int rc = 0;
    while (!rc && rv_sq_row(&query)) {
        struct tally *tally = add(out);
        if (!tally) {
            rc = rv_fail(err, REEVE_ENOMEM, "out of memory");
            break;
        }
        tally->n = rv_sq_int(&query, 0);
        (void)snprintf(tally->space, sizeof tally->space, "%s", rv_sq_text(&query, 1));
        (void)snprintf(tally->name, sizeof tally->name, "%s", rv_sq_text(&query, 2));
        tally->token = rv_sq_int(&query, 3);
        tally->seq = rv_sq_int(&query, 4);
        for (int state = REEVE_DELAYED; state <= REEVE_CANCELLED; state++)
            tally->counted[state] = rv_sq_int(&query, 4 + state);
    }
    return rv_sq_end(&query, rc, err);
}

static int count_jobs(struct rv_sq_step *step, struct tallies *tallies, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_RECOUNT_JOBS);
    while (rv_sq_row(&query)) {
        struct tally *tally = find(tallies, rv_sq_int(&query, 0));
        int64_t state = rv_sq_int(&query, 1), seq = rv_sq_int(&query, 2);
        if (!tally || state < REEVE_DELAYED || state > REEVE_CANCELLED) continue;
        tally->there[state]++;
        if (seq > tally->seq_used) tally->seq_used = seq;
    }
    return rv_sq_end(&query, 0, err);
}

static int count_claims(struct rv_sq_step *step, struct tallies *tallies, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_RECOUNT_CLAIMS);
    while (rv_sq_row(&query)) {
        struct tally *tally = find(tallies, rv_sq_int(&query, 0));
        int64_t token = rv_sq_int(&query, 1);
        if (tally && token > tally->token_used) tally->token_used = token;
    }
    return rv_sq_end(&query, 0, err);
}

static int count(struct rv_sq_step *step, struct tallies *out, struct rv_error *err) {
    out->count = 0;
    int rc = read_queues(step, out, err);
    if (!rc) rc = count_jobs(step, out, err);
    return rc ? rc : count_claims(step, out, err);
}

/* ---- judging ---- */
static bool is_right(const struct tally *tally) {
    return tally->token >= tally->token_used && tally->seq >= tally->seq_used &&
           memcmp(tally->counted, tally->there, sizeof tally->there) == 0;
}

static void tell(struct rv_sq_exam *exam, const struct tally *tally) {
    enum reeve_health health = exam->repair ? REEVE_REPAIRED : REEVE_BAD;
    const char *name = tally->name, *space = tally->space;
    for (int state = REEVE_DELAYED; state <= REEVE_CANCELLED; state++) {
        if (tally->counted[state] == tally->there[state]) continue;
        rv_find(&exam->book, health, "counters",
                "queue %s of space %s counts %" PRId64 " %s jobs, there are %" PRId64, name, space,
                tally->counted[state], reeve_state_name((enum reeve_state)state),
                tally->there[state]);
    }
    if (tally->token < tally->token_used)
        rv_find(&exam->book, health, "counters", "queue %s of space %s: tokens ran backwards", name,
                space);
    if (tally->seq < tally->seq_used)
        rv_find(&exam->book, health, "counters", "queue %s of space %s: its order ran backwards",
                name, space);
}

/* ---- mending ---- */
static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int mend_one(struct rv_sq_step *step, const struct tally *tally, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_RECOUNT_MEND);
    rv_sq_bind_int(&query, tally->n);
    rv_sq_bind_int(&query, larger(tally->token, tally->token_used));
    rv_sq_bind_int(&query, larger(tally->seq, tally->seq_used));
    for (int state = REEVE_DELAYED; state <= REEVE_CANCELLED; state++)
        rv_sq_bind_int(&query, tally->there[state]);
    return rv_sq_run(&query, NULL, err);
}

/* Counts again, now that nobody can change anything. */
static int mend(struct rv_sq_exam *exam, struct tallies *tallies, struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_write(&step, &exam->store->base, exam->store->timeout_ms, err);
    if (rc) return rc;
    rc = count(&step, tallies, err);
    for (size_t i = 0; !rc && i < tallies->count; i++)
        if (!is_right(&tallies->all[i])) rc = mend_one(&step, &tallies->all[i], err);
    step.rings = true; /* what was counted too low was not claimed */
    return rv_sq_step_end(&step, rc, err);
}

static int look(struct rv_sq_exam *exam, struct tallies *out, struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_read(&step, &exam->store->base, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, count(&step, out, err), err);
}

static bool all_right(const struct tallies *tallies) {
    for (size_t i = 0; i < tallies->count; i++)
        if (!is_right(&tallies->all[i])) return false;
    return true;
}

int rv_sq_examine_counters(struct rv_sq_exam *exam, struct rv_error *err) {
    struct tallies tallies = {0};
    int rc = look(exam, &tallies, err);
    if (!rc && exam->repair && !all_right(&tallies)) rc = mend(exam, &tallies, err);
    if (!rc && all_right(&tallies))
        rv_find(&exam->book, REEVE_FINE, "counters", "%zu queues are counted right", tallies.count);
    for (size_t i = 0; !rc && i < tallies.count; i++)
        tell(exam, &tallies.all[i]);
    free(tallies.all);
    return rc;
}
