/* The operations of store.h, each made concrete by dice: the same dice and the same past give the
 * same call on both sides. What a verb refers to (a claim, an id) it picks from what is there, so
 * any sequence means something, also one from which operations were dropped. */
#ifndef DIFFERENTIAL_VERBS_H
#define DIFFERENTIAL_VERBS_H

#include "differential/side.h"

enum { DICE = 8 };

/* A sequence is about jobs or about streams: what does not meet shows nothing. */
enum subject { OF_JOBS, OF_STREAMS, OF_ALL };

struct op {
    enum subject subject;
    uint32_t verb; /* modulo the number of its subject's verbs by weight */
    uint32_t dice[DICE];
};

/* Does it, tells the answer, returns its status. */
typedef int verb_fn(struct side *side, const uint32_t dice[DICE], FILE *to);

struct verb {
    const char *name;
    unsigned weight;
    verb_fn *run;
    enum subject subject;
};

extern const struct verb verbs[];
extern const size_t verb_count;
size_t verb_of(const struct op *op); /* index into verbs */

/* Letters a..h, and now and then an id that needs care. */
enum { IDS = 9 };
const char *id_of(uint32_t dice);
/* The clock, for the verb that is no call: both sides share it, so the sequence moves it. */
int64_t move_of(const uint32_t dice[DICE]);

verb_fn verb_move;
/* verbs_jobs.c */
verb_fn verb_push, verb_push_again, verb_read, verb_cancel, verb_revive, verb_remove, verb_keep,
    verb_list;
/* verbs_leases.c */
verb_fn verb_exchange, verb_repeat, verb_go_back, verb_renew, verb_lapsed, verb_upkeep, verb_tend;
/* verbs_queues.c */
verb_fn verb_queues, verb_stats, verb_pause, verb_beat, verb_leave, verb_workers, verb_wait,
    verb_events;
/* verbs_notes.c */
verb_fn verb_note, verb_check, verb_announce;
/* verbs_bounds.c */
verb_fn verb_set, verb_purge;
/* verbs_streams.c */
verb_fn verb_offer, verb_own, verb_stream_renew, verb_end, verb_yield, verb_recall, verb_recover,
    verb_reclaim, verb_streams, verb_stream, verb_group, verb_letters, verb_letter, verb_own_all;

#endif
