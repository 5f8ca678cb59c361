/* Where a server is, and how to begin with it. */
#ifndef RV_STORE_REDIS_TARGET_H
#define RV_STORE_REDIS_TARGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "store/redis/probe.h"

struct rv_rd_tls;

/* What has been seen of a server that is one of several. */
struct rv_rd_conduct {
    _Atomic int64_t silent_ms;      /* boot: since when it does not answer; 0: it does */
    atomic_bool followed;           /* it was seen to take the place of another */
    _Atomic unsigned stalls;        /* how often in a row it let the time pass without an answer */
    _Atomic int64_t rests_until_ms; /* boot: till then nobody asks it who can do without */
    struct rv_rd_probe probe;       /* nor after that, until this is answered */
    atomic_bool refuses; /* it does not let us in, and will not until a setting is changed */
};

struct rv_rd_target {
    const char *host, *port;     /* or */
    const char *path;            /* of a unix socket; NULL: by host and port */
    const char *shown;           /* host:port or the path: for people; never a password */
    const char *user, *password; /* NULL: not asked for; a password alone is the default user's */
    const char *client_name;     /* what the server lists this connection as */
    int db;
    const struct rv_rd_tls *tls; /* NULL: plain */
    struct rv_rd_conduct *seen;  /* NULL: there is no other to compare it with */
};

/* It has just answered, or not. */
void rv_rd_target_answered(const struct rv_rd_target *target);
void rv_rd_target_silent(const struct rv_rd_target *target, int64_t now_ms);
bool rv_rd_target_is_silent(const struct rv_rd_target *target); /* so it was when last asked */
/* It has let us in, or not, and will not soon. */
void rv_rd_target_greeted(const struct rv_rd_target *target, bool refuses);
bool rv_rd_target_refuses(const struct rv_rd_target *target);

/* ---- one that stands still ---- costs whoever asks it the time that he gives it: those who can do
 * without leave it alone for a while, and until it shows a sign of life (probe.h) ---- */
/* It let the time pass. */
void rv_rd_target_stalled(const struct rv_rd_target *target, int64_t now_ms);
/* Whether to leave it alone. Who hears no is the one that asks: the others rest on. */
bool rv_rd_target_rests(const struct rv_rd_target *target, int64_t now_ms);
/* How long it may take to answer; 0: it does not stand still, as far as one knows. */
int64_t rv_rd_target_trial_ms(const struct rv_rd_target *target);

#endif
