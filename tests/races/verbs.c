/* What a step can do. Each verb returns a word for what it came to. */
#include "races/race.h"

#include <string.h>

#include "base/random.h"

const char *word_of(int code) {
    switch (code) {
    case REEVE_OK:
        return "ok";
    case REEVE_EFENCED:
        return "fenced";
    case REEVE_ESTATE:
        return "state";
    case REEVE_ENOENT:
        return "unknown";
    default:
        return reeve_errname(code);
    }
}

static const char *run_push(struct race *race, struct session *session, const char *word) {
    (void)session;
    return reeve_push_status_name(push(race->f, word).status);
}

static const char *run_claim(struct race *race, struct session *session, const char *word) {
    (void)word;
    struct claimed claimed = claim_up_to(race->f, "w", 1);
    if (!claimed.got.count) return claimed.got.paused ? "paused" : "none";
    session->held = held_of(&claimed, 0);
    race_note_claim(race, &session->held);
    return "job";
}

static enum rv_ending ending_of(const char *word) {
    static const char *const words[] = {"done", "retry", "fail", "back", "stop"};
    static const enum rv_ending endings[] = {RV_SUCCEEDED, RV_FAILED_ATTEMPT, RV_GIVEN_UP,
                                             RV_HANDED_BACK, RV_STOPPED};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], word) == 0) return endings[i];
    fail_msg("no ending '%s'", word);
    return RV_SUCCEEDED;
}

static const char *run_finish(struct race *race, struct session *session, const char *word) {
    struct held held = session->held;
    if (!held.job) return "idle";
    session->held = (struct held){0};
    int rc = finish(race->f, held, ending_of(word));
    if (!rc) race_note_end(race, held.job->id, held.token);
    return word_of(rc);
}

static const char *run_renew(struct race *race, struct session *session, const char *word) {
    (void)word;
    if (!session->held.job) return "idle";
    return renew(race->f, session->held) ? "ok" : "lost";
}

static const char *run_lapse(struct race *race, struct session *session, const char *word) {
    (void)session, (void)word;
    lapse_leases(race->f);
    return "ok";
}

static const char *run_due(struct race *race, struct session *session, const char *word) {
    (void)session, (void)word;
    move_clock(race->f, RETRY_MS + 1);
    return "ok";
}

static const char *run_look(struct race *race, struct session *session, const char *word) {
    (void)word;
    struct fixture *f = race->f;
    struct rv_lapsed lapsed;
    CHECK_CALL(f, rv_store_lapsed(handle(f), f->queue, &lapsed, &f->err));
    CHECK(lapsed.count <= LOOKED_MAX);
    session->looked_count = lapsed.count;
    for (size_t i = 0; i < lapsed.count; i++) {
        const struct reeve_job *job = adopt(f, lapsed.jobs[i].job);
        session->looked[i] = (struct held){
            .queue = f->queue, .holder = lapsed.jobs[i].holder, .token = job->token, .job = job};
    }
    (void)adopt(f, lapsed.jobs);
    return session->looked_count ? "some" : "none";
}

/* Finishes by proxy what this session has seen lapsed, however long ago. */
static const char *run_proxy(struct race *race, struct session *session, const char *word) {
    (void)word;
    const char *came_to = "idle";
    for (size_t i = 0; i < session->looked_count; i++) {
        const struct held *held = &session->looked[i];
        int rc = finish(race->f, *held, RV_LAPSED);
        if (!rc) race_note_end(race, held->job->id, held->token);
        came_to = word_of(rc);
    }
    session->looked_count = 0;
    return came_to;
}

/* Leases run out, upkeep finishes them, their backoff passes. */
static const char *run_recover(struct race *race, struct session *session, const char *word) {
    (void)run_lapse(race, session, word);
    (void)run_look(race, session, word);
    const char *came_to = run_proxy(race, session, word);
    (void)run_due(race, session, word);
    return came_to;
}

static const char *run_cancel(struct race *race, struct session *session, const char *word) {
    (void)session;
    enum reeve_state now;
    int rc = cancel(race->f, word, &now);
    return rc ? word_of(rc) : reeve_state_name(now);
}

static const char *run_revive(struct race *race, struct session *session, const char *word) {
    (void)session;
    return word_of(revive(race->f, word));
}

static const char *run_remove(struct race *race, struct session *session, const char *word) {
    (void)session;
    return word_of(remove_job(race->f, word));
}

static const char *set_paused(struct race *race, bool paused) {
    struct fixture *f = race->f;
    return word_of(rv_store_pause(handle(f), f->queue, paused, &f->err));
}

static const char *run_pause(struct race *race, struct session *session, const char *word) {
    (void)session, (void)word;
    return set_paused(race, true);
}

static const char *run_resume(struct race *race, struct session *session, const char *word) {
    (void)session, (void)word;
    return set_paused(race, false);
}

/* ---- a name ---- */
static const char *run_take(struct race *race, struct session *session, const char *word) {
    struct fixture *f = race->f;
    (void)word;
    if (!session->grant_holder || session->grant_token)
        session->grant_holder = rv_random_nonzero(&rv_random_system);
    struct rv_grant_ask ask = {.kind = RV_GRANT_LEADER,
                               .name = "n",
                               .holder = session->grant_holder,
                               .lease_ms = LEASE_MS,
                               .by = "w"};
    struct rv_grant_answer answer;
    CHECK_CALL(f, rv_store_grant_take(handle(f), &ask, CALL_MS, &answer, &f->err));
    if (!answer.token) return "held";
    CHECK(answer.token > race->last_term); /* J4 */
    race->last_term = session->grant_token = answer.token;
    return "ok";
}

static const char *run_stay(struct race *race, struct session *session, const char *word) {
    struct fixture *f = race->f;
    (void)word;
    struct rv_grant_renewal renewal = {.kind = RV_GRANT_LEADER,
                                       .name = "n",
                                       .holder = session->grant_holder,
                                       .token = session->grant_token,
                                       .lease_ms = LEASE_MS};
    if (!session->grant_token) return "idle";
    CHECK_CALL(f, rv_store_grant_renew(handle(f), &renewal, 1, CALL_MS, &f->err));
    return renewal.lost ? "lost" : "ok";
}

static const char *run_write(struct race *race, struct session *session, const char *word) {
    struct fixture *f = race->f;
    (void)word;
    if (!session->grant_token) return "idle";
    int rc = rv_store_grant_check(handle(f), RV_GRANT_LEADER, "n", session->grant_token, &f->err);
    if (!rc) CHECK(session->grant_token == race->last_term); /* none under an old term */
    return word_of(rc);
}

static const char *run_resign(struct race *race, struct session *session, const char *word) {
    struct fixture *f = race->f;
    (void)word;
    if (!session->grant_token) return "idle";
    return word_of(rv_store_grant_release(handle(f), RV_GRANT_LEADER, "n", session->grant_holder,
                                          CALL_MS, &f->err));
}

static const struct verb verbs[] = {
    {"push", "queued", run_push},        /* queued, duplicate, done */
    {"claim", "job", run_claim},         /* job, none, paused */
    {"finish", "ok", run_finish},        /* ok, fenced; idle: nothing in hand */
    {"renew", "ok", run_renew},          /* ok, lost, idle */
    {"lapse", "ok", run_lapse},          /* moves the clock past all leases */
    {"due", "ok", run_due},              /* moves it past the backoff */
    {"look", "some", run_look},          /* some, none */
    {"proxy", "ok", run_proxy},          /* ok, state; idle: nothing was seen */
    {"recover", "ok", run_recover},      /* lapse, look, proxy and due in one */
    {"cancel", "cancelled", run_cancel}, /* cancelled, running, state, unknown */
    {"revive", "ok", run_revive},        /* ok, state, unknown */
    {"remove", "ok", run_remove},        /* ok, state, unknown */
    {"pause", "ok", run_pause},
    {"resume", "ok", run_resume},
    {"take", "ok", run_take},       /* leads, a new term: ok, held */
    {"stay", "ok", run_stay},       /* renews that: ok, lost, idle */
    {"write", "ok", run_write},     /* what only a leader may: ok, fenced, idle */
    {"resign", "ok", run_resign},   /* ok, fenced, idle */
    {"offer", "new", run_offer},    /* a stream, by its name: new, known */
    {"own", "ok", run_own},         /* takes the first in line: ok, none */
    {"keep", "ok", run_keep},       /* renews that: ok, lost, idle */
    {"end", "ok", run_end},         /* ok, fenced, unknown, idle */
    {"yield", "ok", run_yield},     /* ok, fenced, unknown, idle */
    {"scan", "moved", run_scan},    /* for owners that are over: moved, none */
    {"reclaim", "ok", run_reclaim}, /* the same for the one it names: ok, state, unknown */
};

const struct verb *verb_find(const char *name) {
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(verbs[i].name, name) == 0) return &verbs[i];
    return NULL;
}
