/* Bounds of queues, and purges. */
#include "differential/verbs.h"

/* 0: as it is; none; or one that is soon reached. */
static int64_t bound_of(uint32_t dice) {
    static const int64_t bounds[] = {0, REEVE_NONE, 1, 2, 4};
    return bounds[dice % 5];
}

int verb_set(struct side *side, const uint32_t dice[DICE], FILE *to) {
    const char *name = queue_name((int)(dice[0] % QUEUES));
    struct reeve_queue_settings settings = {.size = sizeof settings,
                                            .max_length = bound_of(dice[1]),
                                            .keep_failed = bound_of(dice[2]),
                                            .on_full = (enum reeve_on_full)(dice[3] % 3)};
    (void)fprintf(to, "%s max=%d keep_failed=%d on_full=%d", name, (int)settings.max_length,
                  (int)settings.keep_failed, settings.on_full);
    return rv_store_set(side->store, name, &settings, NULL);
}

int verb_purge(struct side *side, const uint32_t dice[DICE], FILE *to) {
    static const enum reeve_state states[] = {REEVE_DELAYED, REEVE_READY, REEVE_DONE, REEVE_FAILED,
                                              REEVE_CANCELLED};
    const char *name = queue_name((int)(dice[0] % QUEUES));
    enum reeve_state state = states[dice[1] % 5];
    size_t removed;
    int rc = rv_store_purge(side->store, name, state, &removed, NULL);
    (void)fprintf(to, "%s of %s: %zu", reeve_state_name(state), name, removed);
    return rc;
}
