#include "races/race.h"

#include <stdio.h>
#include <string.h>

/* Never two holders: the claim before this one of the same job has come to its end, under a lower
 * token (J4). */
void race_note_claim(struct race *race, const struct held *held) {
    for (size_t i = 0; i < race->claim_count; i++) {
        const struct claim_note *note = &race->claims[i];
        if (strcmp(note->id, held->job->id) != 0) continue;
        CHECK(note->ended);
        CHECK(held->token > note->token);
    }
    CHECK(race->claim_count < CLAIMS_MAX);
    struct claim_note *note = &race->claims[race->claim_count++];
    *note = (struct claim_note){.token = held->token};
    (void)snprintf(note->id, sizeof note->id, "%s", held->job->id);
}

/* One end a claim: the holder's or a proxy's, never both (J3, J6). */
void race_note_end(struct race *race, const char *id, uint64_t token) {
    for (size_t i = 0; i < race->claim_count; i++) {
        struct claim_note *note = &race->claims[i];
        if (note->token != token || strcmp(note->id, id) != 0) continue;
        CHECK(!note->ended);
        note->ended = true;
        return;
    }
    fail_msg("an outcome of '%s' was accepted under a token that no claim had", id);
}

/* A job is RUNNING iff its last claim has not ended (J2). */
static void check_claims(struct race *race) {
    for (size_t i = 0; i < race->claim_count; i++) {
        const struct claim_note *note = &race->claims[i];
        if (note->ended) continue;
        const struct reeve_job *job = read_job(race->f, note->id);
        CHECK(job);
        CHECK_INT(job->state, REEVE_RUNNING);
        CHECK_INT(job->token, note->token);
        CHECK(job->lease_until_ms > 0);
    }
}

static size_t count_open_claims(const struct race *race) {
    size_t open = 0;
    for (size_t i = 0; i < race->claim_count; i++)
        open += !race->claims[i].ended;
    return open;
}

static void check_invariants(struct race *race) {
    check_claims(race);
    struct rv_names names;
    CHECK_CALL(race->f, rv_store_queues(handle(race->f), NULL, 10, &names, &race->f->err));
    (void)adopt(race->f, names.names);
    if (names.count) CHECK_INT(stats(race->f).running, count_open_claims(race));
    check_totals_as_they_stand(race->f);
    race_check_streams(race);
}

static const char *run_step(struct race *race, const struct step *step) {
    race->f->calls = (unsigned)step->session; /* each session keeps to a handle */
    return step->verb->run(race, &race->sessions[step->session], step->word);
}

/* What is left comes to an end: nothing is lost, nothing runs for ever. */
static void settle(struct race *race) {
    const struct step resume = {.verb = verb_find("resume")},
                      recover = {.verb = verb_find("recover")};
    (void)run_step(race, &resume);
    for (int rounds = 0; rounds < 10; rounds++) {
        (void)run_step(race, &recover);
        struct claimed claimed = claim_up_to(race->f, "last", 1);
        if (!claimed.got.count) continue;
        struct held held = held_of(&claimed, 0);
        race_note_claim(race, &held);
        CHECK_OK(finish(race->f, held, RV_SUCCEEDED));
        race_note_end(race, held.job->id, held.token);
    }
    struct reeve_queue queue = stats(race->f);
    CHECK_INT(queue.running, 0);
    CHECK_INT(queue.ready, 0);
    CHECK_INT(queue.delayed, 0);
    check_totals(race->f);
    race_settle_streams(race);
}

void race_run(struct race *race, const struct script *script, const struct order *order) {
    for (size_t i = 0; i < script->first_count; i++) {
        const struct step *step = &script->first[i];
        CHECK_STR(run_step(race, step), step->verb->usual);
    }
    for (size_t i = 0; i < order->count; i++) {
        const struct step *step = &script->steps[order->steps[i]];
        const char *came_to = run_step(race, step);
        if (*order->expected[i] && strcmp(came_to, order->expected[i]) != 0)
            fail_msg("step %s came to '%s', expected '%s'", step->name, came_to,
                     order->expected[i]);
        check_invariants(race);
    }
    settle(race);
}
