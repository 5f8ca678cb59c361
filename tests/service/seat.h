/* The vocabulary of the tests about members: a seat is a member and what its callbacks saw. All of
 * them are of one group, "g". Rivals are made of the store's own steps. */
#ifndef SERVICE_SEAT_H
#define SERVICE_SEAT_H

#include "service/scene.h"

enum {
    LEASE_MS = 30000, /* of those that are not to lapse within a test */
    SHORT_MS = 3000,  /* of those that are */
    SEATS = 4,
    LOOK_MS = 5,
};

/* What a member's callbacks saw, and what they are to do. */
struct seat {
    struct scene *s;
    reeve_member *member;
    atomic_int owned, lost, lapsed, ended;
    atomic_int inside; /* callbacks running now */
    atomic_bool overlap, late;
    atomic_int why, error;           /* of the latest loss, of the end */
    _Atomic uint64_t token, retries; /* of the latest owned */
    atomic_bool info_is_right;
    atomic_bool end_at_once;   /* owned ends it */
    atomic_bool slow;          /* owned takes its time */
    atomic_bool held;          /* all the while it had a token */
    atomic_bool token_in_lost; /* reeve_member_token() still had one */
    atomic_bool rival_got_it;  /* while lost was running */
    struct reeve_member_options options;
};

extern const struct rv_group group;

/* How many a rival got: all that wait, up to 10. */
size_t rival_takes(struct scene *s, uint64_t holder, int64_t lease_ms);

/* A seat with callbacks and a scan every 100 ms, which may be changed before it joins. */
struct seat *seat_of(struct scene *s, int64_t lease_ms);
void join(struct seat *seat);
void part(
    struct seat *seat); /* closes it; its callbacks came one at a time, the last was its end */

void offer(struct scene *s, const char *name); /* with the info "info"; it is new */
void offer_many(struct scene *s, int count);   /* s0, s1, ... */

struct reeve_group figures(struct scene *s);
struct reeve_member_stats stats_of(struct seat *seat);

void look_again(int *looks);
/* Until it holds, or SOON_MS are over. */
#define AWAIT(condition)               \
    for (int looks = 0; !(condition);) \
    look_again(&looks)
#define AWAIT_INT(actual, expected) AWAIT((actual) == (expected))

#endif
