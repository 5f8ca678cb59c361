#include "differential/verbs.h"

const struct verb verbs[] = {
    {"move the clock", 10, verb_move, OF_ALL},
    {"push", 16, verb_push, OF_JOBS},
    {"push again", 3, verb_push_again, OF_JOBS},
    {"exchange", 24, verb_exchange, OF_JOBS},
    {"repeat an exchange", 4, verb_repeat, OF_JOBS},
    {"go back in a lane", 1, verb_go_back, OF_JOBS},
    {"renew", 5, verb_renew, OF_JOBS},
    {"look for lapsed claims", 3, verb_lapsed, OF_JOBS},
    {"finish lapsed claims by proxy", 4, verb_upkeep, OF_JOBS},
    {"tend", 4, verb_tend, OF_JOBS},
    {"read", 4, verb_read, OF_JOBS},
    {"cancel", 7, verb_cancel, OF_JOBS},
    {"revive", 4, verb_revive, OF_JOBS},
    {"remove", 3, verb_remove, OF_JOBS},
    {"keep", 3, verb_keep, OF_JOBS},
    {"list", 4, verb_list, OF_JOBS},
    {"queues", 1, verb_queues, OF_JOBS},
    {"stats", 4, verb_stats, OF_JOBS},
    {"pause", 2, verb_pause, OF_JOBS},
    {"beat", 2, verb_beat, OF_JOBS},
    {"leave", 1, verb_leave, OF_JOBS},
    {"workers", 1, verb_workers, OF_JOBS},
    {"wait", 3, verb_wait, OF_JOBS},
    {"events", 5, verb_events, OF_JOBS},
    {"note", 6, verb_note, OF_JOBS},
    {"check", 2, verb_check, OF_JOBS},
    {"announce", 1, verb_announce, OF_JOBS},
    {"set", 3, verb_set, OF_JOBS},
    {"purge", 1, verb_purge, OF_JOBS},
    {"offer a stream", 8, verb_offer, OF_STREAMS},
    {"own streams", 8, verb_own, OF_STREAMS},
    {"renew streams", 4, verb_stream_renew, OF_STREAMS},
    {"end a stream", 4, verb_end, OF_STREAMS},
    {"yield a stream", 4, verb_yield, OF_STREAMS},
    {"recall a stream", 2, verb_recall, OF_STREAMS},
    {"recover streams", 5, verb_recover, OF_STREAMS},
    {"claim a stream", 2, verb_reclaim, OF_STREAMS},
    {"list streams", 1, verb_streams, OF_STREAMS},
    {"read a stream", 1, verb_stream, OF_STREAMS},
    {"stats of a group", 2, verb_group, OF_STREAMS},
    {"list dead letters", 1, verb_letters, OF_STREAMS},
    {"revive or purge a dead letter", 2, verb_letter, OF_STREAMS},
};
const size_t verb_count = sizeof verbs / sizeof *verbs;

static unsigned weight_in(const struct verb *verb, const struct op *op) {
    return verb->subject == op->subject || verb->subject == OF_ALL ? verb->weight : 0;
}

size_t verb_of(const struct op *op) {
    unsigned total = 0;
    for (size_t i = 0; i < verb_count; i++)
        total += weight_in(&verbs[i], op);
    unsigned left = op->verb % total;
    size_t i = 0;
    while (left >= weight_in(&verbs[i], op))
        left -= weight_in(&verbs[i++], op);
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
