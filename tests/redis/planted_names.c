/* Somebody else's value where names are leased: planted.h. */
#include <stdlib.h>

#include "core/limits.h"
#include "redis/planted.h"

enum { HOUR_MS = 3600000, TIMEOUT_MS = 20000 };

static int take(struct patient *p, enum rv_grant_kind kind, const char *name, uint64_t holder,
                uint64_t *token) {
    struct rv_grant_ask ask = {.kind = kind,
                               .name = name,
                               .holder = holder,
                               .lease_ms = HOUR_MS,
                               .ticket_ms = kind == RV_GRANT_LOCK ? HOUR_MS : 0,
                               .by = "w"};
    struct rv_grant_answer answer;
    int rc = rv_store_grant_take(p->store, &ask, TIMEOUT_MS, &answer, &p->line->err);
    if (!rc && token) *token = answer.token;
    return rc;
}

static void lease_names(struct patient *p) {
    CHECK_OK(take(p, RV_GRANT_LEADER, "boss", 7, &p->term));
    CHECK_OK(take(p, RV_GRANT_LOCK, "lock", 7, NULL));
    CHECK_OK(take(p, RV_GRANT_LOCK, "lock", 8, NULL));
}

/* ---- the operations ---- */
static int take_new(struct patient *p) {
    return take(p, RV_GRANT_LEADER, "new", 9, NULL);
}

static int take_later(struct patient *p) {
    rv_clock_move(&p->line->clock, RV_GRANT_KEPT_MS + 2 * HOUR_MS);
    int rc = take_new(p);
    rv_clock_move(&p->line->clock, -RV_GRANT_KEPT_MS - 2 * HOUR_MS);
    return rc;
}

static int line_up(struct patient *p) {
    return take(p, RV_GRANT_LOCK, "lock", 9, NULL);
}

static int renew_term(struct patient *p) {
    struct rv_grant_renewal renewal = {.kind = RV_GRANT_LEADER,
                                       .name = "boss",
                                       .holder = 7,
                                       .token = p->term,
                                       .lease_ms = 2 * (int64_t)HOUR_MS};
    return rv_store_grant_renew(p->store, &renewal, 1, TIMEOUT_MS, &p->line->err);
}

static int release_term(struct patient *p) {
    return rv_store_grant_release(p->store, RV_GRANT_LEADER, "boss", 7, TIMEOUT_MS, &p->line->err);
}

static int leave_line(struct patient *p) {
    return rv_store_grant_release(p->store, RV_GRANT_LOCK, "lock", 8, TIMEOUT_MS, &p->line->err);
}

static int check_term(struct patient *p) {
    return rv_store_grant_check(p->store, RV_GRANT_LEADER, "boss", p->term, &p->line->err);
}

static int resign(struct patient *p) {
    return rv_store_grant_resign(p->store, RV_GRANT_LEADER, "boss", &p->line->err);
}

static int leaders(struct patient *p) {
    struct rv_grants_query query = {.kind = RV_GRANT_LEADER, .limit = 10};
    struct rv_grants out;
    int rc = rv_store_grants(p->store, &query, &out, &p->line->err);
    if (!rc) free(out.rows);
    return rc;
}

static int wait_for_name(struct patient *p) {
    struct rv_bell bell = {.queue = "boss", .grant = RV_GRANT_LEADER};
    return rv_store_wait(p->store, &bell, 1, 10, &p->line->err);
}

static const struct planted_op ops[] = {
    PLANTED_OP(take_new),      PLANTED_OP(take_later),   PLANTED_OP(line_up),
    PLANTED_OP(renew_term),    PLANTED_OP(release_term), PLANTED_OP(leave_line),
    PLANTED_OP(check_term),    PLANTED_OP(resign),       PLANTED_OP(leaders),
    PLANTED_OP(wait_for_name),
};
enum { OPS = sizeof ops / sizeof *ops };

static void somebody_elses_value_is_named_where_names_are_leased(void **state) {
    planted_try(state, lease_names, ops, OPS, OPS);
}

const struct CMUnitTest planted_name_tests[] = {
    REDIS_TEST(somebody_elses_value_is_named_where_names_are_leased),
};
const size_t planted_name_test_count = sizeof planted_name_tests / sizeof *planted_name_tests;
