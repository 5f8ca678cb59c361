/* What running jobs tell, whether their leases are current, and what workers announce. */
#include "differential/verbs.h"

/* A claim of any age, mostly one of the latest; NULL if there is none in this queue. */
static const struct claim *recent_claim(const struct side *side, int queue, uint32_t dice) {
    size_t back = dice % 4 ? 0 : dice / 4 % 8;
    for (size_t i = side->claim_count; i > 0; i--) {
        const struct claim *claim = &side->claims[i - 1];
        if (claim->queue != queue || !claim->count) continue;
        if (back-- == 0) return claim;
    }
    return NULL;
}

int verb_note(struct side *side, const uint32_t dice[DICE], FILE *to) {
    int queue = (int)(dice[0] % QUEUES);
    const struct claim *claim = recent_claim(side, queue, dice[1]);
    if (!claim) return 0;
    char line[32];
    (void)snprintf(line, sizeof line, "line %u", dice[2] % 1000);
    struct rv_note note = {.id = claim->jobs[dice[3] % claim->count]->id,
                           .holder = claim->holder ^ dice[4] % 32 / 31,
                           .token = claim->token + dice[5] % 32 / 31,
                           .progress = dice[6] % 3 ? (int)(dice[6] % 101) : -1,
                           .line = dice[6] % 3 == 0 || dice[7] % 2 ? line : NULL};
    (void)fprintf(to, "%s/%s under T%zu", queue_name(queue), note.id,
                  side_token(side, claim->token));
    return rv_store_note(side->store, queue_name(queue), &note, NULL);
}

int verb_check(struct side *side, const uint32_t dice[DICE], FILE *to) {
    int queue = (int)(dice[0] % QUEUES);
    const struct claim *claim = recent_claim(side, queue, dice[1]);
    if (!claim) return 0;
    const char *id = dice[2] % 8 ? claim->jobs[dice[3] % claim->count]->id : id_of(dice[3]);
    uint64_t token = claim->token + dice[4] % 8 / 7, holder = claim->holder ^ dice[5] % 8 / 7;
    (void)fprintf(to, "%s/%s under T%zu", queue_name(queue), id, side_token(side, claim->token));
    return rv_store_check(side->store, queue_name(queue), id, token, holder, NULL);
}

int verb_announce(struct side *side, const uint32_t dice[DICE], FILE *to) {
    const char *name = queue_name((int)(dice[0] % QUEUES));
    bool started = dice[1] % 2;
    (void)fprintf(to, "%s %s", name, started ? "started" : "stopped");
    struct rv_announcement news = {
        .type = started ? REEVE_WORKER_STARTED : REEVE_WORKER_STOPPED, .id = "", .worker = "w"};
    return rv_store_announce(side->store, name, &news, 20000, NULL);
}
