/* Streams as the rest of the library sees them in a store; a part of store.h. A group holds
 * streams; each waits in line or is owned, under a token and until a deadline; what fails too often
 * becomes a dead letter. Every operation concerns one group and is one step. The rules are S1 to S9
 * of stream_ops.h. */
#ifndef RV_STORE_STREAMS_H
#define RV_STORE_STREAMS_H

#include "base/error.h"
#include "core/stream.h"

struct rv_store;

/* Which group, and how it is laid out. The caller says it each time: nothing remembers it. */
struct rv_group {
    const char *name;
    bool compat; /* the published layout, where the store has one; else as if it were not set */
    bool hints;  /* hear of lapses sooner, where that takes settings of the server */
};

#define RV_STREAM_CURSOR_SIZE 64 /* of lists and scans: "" at the end, else [A-Za-z0-9_-]+ */

/* Puts a stream in line (S1). *known: it waits or is owned already, and nothing has changed. A
 * repeat is told *known: either way it is there. */
int rv_store_stream_offer(struct rv_store *s, const struct rv_group *group, const char *name,
                          const void *info, size_t info_size, bool *known, struct rv_error *err);

/* ---- owning ---- */
struct rv_stream_ask {
    const char *member; /* its id, random */
    const char *by;     /* and its name, for people */
    uint64_t holder;    /* drawn for this acquisition (J5); not 0 */
    size_t want;        /* 1..RV_CLAIM_MAX */
    int64_t lease_ms;
    uint64_t dead_max;  /* S7, for entries that cannot be read; 0: no bound */
    int64_t timeout_ms; /* of this call */
};

struct rv_streams {
    struct reeve_stream **streams; /* each a block */
    size_t count;
    uint64_t token;                     /* of a take: all that it brings share it */
    bool more;                          /* of a take: others still wait */
    uint64_t unreadable;                /* of a take: entries that became dead letters by it */
    char cursor[RV_STREAM_CURSOR_SIZE]; /* of a list */
};
void rv_streams_release(struct rv_streams *streams); /* frees those still there (not NULL) */

/* Delivery and ownership in one step (S2). Asking again under the same holder tells what that
 * holder owns, and takes nothing more (J7). */
int rv_store_stream_take(struct rv_store *s, const struct rv_group *group,
                         const struct rv_stream_ask *ask, struct rv_streams *out,
                         struct rv_error *err);

struct rv_stream_renewal {
    const char *name;
    uint64_t holder, token;
    int64_t lease_ms; /* from the store's now */
    bool lost;        /* out: over, or another's, or ended: nothing was renewed (S5) */
    bool yield;       /* out: its owner is asked to yield it (S8) */
};

/* Renews count (1..RV_RENEW_MAX) of one group, each by itself. */
int rv_store_stream_renew(struct rv_store *s, const struct rv_group *group,
                          struct rv_stream_renewal *renewals, size_t count, int64_t timeout_ms,
                          struct rv_error *err);

/* An ownership, as its owner names it. holder 0 and token 0, for people: whoever has it. */
struct rv_stream_ref {
    const char *name;
    uint64_t holder, token;
};

/* The stream is done with: it goes (S3). REEVE_EFENCED: it waits, or is another's; nothing has
 * changed. REEVE_ENOENT: there is none of that name: as a repeat finds it. Without a holder it goes
 * also while it waits, and an owner learns it by his next renewal. */
int rv_store_stream_end(struct rv_store *s, const struct rv_group *group,
                        const struct rv_stream_ref *ref, int64_t timeout_ms, struct rv_error *err);

/* Why an owner gives a stream back, and what then becomes of it. */
struct rv_stream_fault {
    const char *reason;  /* for the dead letter; 1..RV_STREAM_REASON_MAX bytes */
    int64_t max_retries; /* S6; REEVE_NONE: no bound */
    uint64_t dead_max;   /* S7; 0: no bound */
};

/* Back in line, at its end. fault NULL: of the owner's own will, not counted; else as a failed
 * attempt (S6), *dead: it became a dead letter. REEVE_EFENCED as for rv_store_stream_end(),
 * REEVE_ENOENT likewise. The holder is not 0. */
int rv_store_stream_yield(struct rv_store *s, const struct rv_group *group,
                          const struct rv_stream_ref *ref, const struct rv_stream_fault *fault,
                          int64_t timeout_ms, bool *dead, struct rv_error *err);

/* Asks whoever owns it to yield it (S8). REEVE_ENOENT: there is no such stream; REEVE_ESTATE: it
 * waits. */
int rv_store_stream_recall(struct rv_store *s, const struct rv_group *group, const char *name,
                           struct rv_error *err);

/* ---- recovering ---- */
struct rv_stream_scan {
    int64_t min_idle_ms; /* S4: not what was taken or renewed since */
    int64_t max_retries; /* S6; REEVE_NONE: no bound */
    uint64_t dead_max;   /* S7; 0: no bound */
    const char *after;   /* cursor of the step before, or NULL */
};

struct rv_stream_scanned {
    struct reeve_stream **lapsed; /* as they were owned: who, token; at most RV_SCAN_MAX blocks */
    size_t count;
    uint64_t requeued, dead, unreadable; /* of them back in line; dead letters, and of garbage */
    uint64_t alive;                      /* looked at and let be: the owner lives (S4) */
    char cursor[RV_STREAM_CURSOR_SIZE];  /* to go on with; "": all has been looked at */
    int64_t next_in_ms; /* until the next ownership that stands may be recovered; -1: none stands */
};
void rv_stream_scanned_release(struct rv_stream_scanned *scanned);

/* Ownerships that are over go back in line, or to the dead letters (S4, S6): at most RV_SCAN_MAX of
 * them. Any number may scan at once. Writes nothing if there is nothing to do. */
int rv_store_stream_recover(struct rv_store *s, const struct rv_group *group,
                            const struct rv_stream_scan *scan, struct rv_stream_scanned *out,
                            struct rv_error *err);
/* The same for one stream, at once and whatever its count: back in line if its owner's lease is
 * over, counted but never a dead letter. REEVE_ESTATE: its owner lives, or it is in line already
 * (the text says which); REEVE_ENOENT. */
int rv_store_stream_claim(struct rv_store *s, const struct rv_group *group, const char *name,
                          struct rv_error *err);

/* ---- looking ---- */
struct rv_stream_query {
    enum reeve_stream_state state; /* 0: any */
    const char *after;             /* cursor of the page before, or NULL */
    size_t limit;                  /* 1..RV_LIST_MAX */
};

/* Order unspecified; a page may be shorter than limit: only an empty cursor is the end. */
int rv_store_stream_list(struct rv_store *s, const struct rv_group *group,
                         const struct rv_stream_query *query, struct rv_streams *out,
                         struct rv_error *err);
int rv_store_stream_read(struct rv_store *s, const struct rv_group *group, const char *name,
                         struct reeve_stream **out, struct rv_error *err);

struct rv_names;
/* Up to limit names of groups after `after` (NULL: from the first), in byte order. A group is there
 * once a stream was offered in it or a member has joined; those of compat are in no list. */
int rv_store_stream_groups(struct rv_store *s, const char *after, size_t limit,
                           struct rv_names *out, struct rv_error *err);
/* Counts and counters; out->name is the group's. REEVE_ENOENT if there is no such group. */
int rv_store_stream_stats(struct rv_store *s, const struct rv_group *group, struct reeve_group *out,
                          struct rv_error *err);

/* ---- dead letters ---- */
struct rv_letters {
    struct reeve_letter **letters; /* each a block */
    size_t count;
    char cursor[RV_STREAM_CURSOR_SIZE];
};
void rv_letters_release(struct rv_letters *letters);

/* Up to limit (1..RV_LIST_MAX) of them, oldest first. */
int rv_store_stream_letters(struct rv_store *s, const struct rv_group *group, const char *after,
                            size_t limit, struct rv_letters *out, struct rv_error *err);
/* One of them goes back in line, its count at 0 (S7). REEVE_ENOENT; REEVE_ESTATE: its stream waits
 * or is owned, or it cannot be read: nothing has changed. */
int rv_store_stream_revive(struct rv_store *s, const struct rv_group *group, const char *letter,
                           struct rv_error *err);
/* count (1..RV_TEND_MAX) of them go; *removed: how many were there. */
int rv_store_stream_purge(struct rv_store *s, const struct rv_group *group,
                          const char *const *letters, size_t count, size_t *removed,
                          struct rv_error *err);

/* ---- members ---- per-member expiry; what hangs on it is who shares, never who owns (S9) ---- */
struct rv_member_row {
    char id[REEVE_ID_SIZE];
    char name[REEVE_ID_SIZE];
    uint64_t owned;                   /* as it says itself */
    uint64_t max;                     /* that it owns at most */
    int64_t joined_at_ms, seen_at_ms; /* seen: out */
    struct reeve_member_stats stats;
};

struct rv_members {
    struct rv_member_row *rows; /* one array; free() */
    size_t count;
};

/* First time: joins. ttl_ms 0: leaves. */
int rv_store_stream_beat(struct rv_store *s, const struct rv_group *group,
                         const struct rv_member_row *member, int64_t ttl_ms, struct rv_error *err);
int rv_store_stream_members(struct rv_store *s, const struct rv_group *group,
                            struct rv_members *out, struct rv_error *err); /* not the expired */

/* Forgets what was learnt of servers and their places, and looks again: subscriptions too. */
int rv_store_stream_reset(struct rv_store *s, struct rv_error *err);

/* What this handle has heard besides, and how that came about; zeros where there are no hints. Asks
 * nobody. */
struct rv_stream_hearing {
    uint64_t hints_total;                         /* of lapses */
    uint64_t listens_total, listens_failed_total; /* servers set up to tell them, or not */
    uint64_t resets_total;
};
struct rv_stream_hearing rv_store_stream_hearing(struct rv_store *s);

#endif
