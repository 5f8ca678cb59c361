#include "differential/verbs.h"

const struct verb verbs[] = {
    {"move the clock", 10, verb_move},
    {"push", 16, verb_push},
    {"push again", 3, verb_push_again},
    {"exchange", 24, verb_exchange},
    {"repeat an exchange", 4, verb_repeat},
    {"go back in a lane", 1, verb_go_back},
    {"renew", 5, verb_renew},
    {"look for lapsed claims", 3, verb_lapsed},
    {"finish lapsed claims by proxy", 4, verb_upkeep},
    {"tend", 4, verb_tend},
    {"read", 4, verb_read},
    {"cancel", 7, verb_cancel},
    {"revive", 4, verb_revive},
    {"remove", 3, verb_remove},
    {"keep", 3, verb_keep},
    {"list", 4, verb_list},
    {"queues", 1, verb_queues},
    {"stats", 4, verb_stats},
    {"pause", 2, verb_pause},
    {"beat", 2, verb_beat},
    {"leave", 1, verb_leave},
    {"workers", 1, verb_workers},
    {"wait", 3, verb_wait},
    {"events", 5, verb_events},
    {"note", 6, verb_note},
    {"check", 2, verb_check},
    {"announce", 1, verb_announce},
    {"set", 3, verb_set},
    {"purge", 1, verb_purge},
};
const size_t verb_count = sizeof verbs / sizeof *verbs;

size_t verb_of(const struct op *op) {
    unsigned total = 0;
    for (size_t i = 0; i < verb_count; i++)
        total += verbs[i].weight;
    unsigned left = op->verb % total;
    size_t i = 0;
    while (left >= verbs[i].weight)
        left -= verbs[i++].weight;
    return i;
}

const char *id_of(uint32_t dice) {
    static const char *const ids[IDS] = {"a", "b", "c", "d", "e", "f", "g", "h", "'%_\xc3\xa9 {}"};
    return ids[dice % IDS];
}

int64_t move_of(const uint32_t dice[DICE]) {
    int64_t minutes = dice[0] % 16 == 0 ? 61 : 1 + dice[0] % 3; /* 61: lanes are forgotten */
    return minutes * MINUTE_MS;
}

int verb_move(struct side *side, const uint32_t dice[DICE], FILE *to) {
    (void)side;
    (void)fprintf(to, "by %lld minutes", (long long)(move_of(dice) / MINUTE_MS));
    return 0;
}
