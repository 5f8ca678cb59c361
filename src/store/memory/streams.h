/* Groups of streams in the memory store: see memory.h. */
#ifndef RV_STORE_MEMORY_STREAMS_H
#define RV_STORE_MEMORY_STREAMS_H

#include "store/memory/memory.h"

struct group {
    struct rv_list link; /* in memory->groups, by name */
    struct memory *memory;
    char name[REEVE_NAME_SIZE];
    struct rv_map streams;  /* by name */
    struct rv_tree listed;  /* all of them, by number */
    struct rv_tree waiting; /* by seq */
    struct rv_tree owned;   /* by deadline and number */
    struct rv_list letters; /* oldest first */
    struct rv_list members;
    uint64_t last_token, last_seq, last_number, last_letter;
    struct reeve_group totals; /* counts and counters */
    uint64_t asked;            /* the bell */
};

struct stream {
    struct group *group;
    struct rv_map_node by_name;
    struct rv_tree_node listed, turn; /* turn: in waiting or owned */
    uint64_t number;                  /* given when it was offered */
    uint64_t holder;                  /* 0: it waits */
    uint64_t token;                   /* the latest */
    int64_t deadline, touched;        /* boot_ms; touched: taken or renewed */
    uint64_t retries;
    int64_t offered_at_ms, owned_at_ms;
    bool yielding;
    char by[REEVE_ID_SIZE];
    char *name; /* behind the struct, as is info */
    void *info;
    size_t info_size;
};

struct letter {
    struct rv_list link;
    uint64_t number;
    struct reeve_letter *letter; /* a block */
};

/* ---- groups.c ---- */
struct group *rv_mem_group_find(struct memory *memory, const char *name); /* or NULL */
struct group *rv_mem_group_make(struct memory *memory, const char *name); /* NULL: no memory */
struct stream *rv_mem_stream_find(const struct group *group, const char *name); /* or NULL */
/* In line, with its count. NULL: no memory. */
struct stream *rv_mem_stream_add(struct group *group, const char *name, const void *info,
                                 size_t info_size);
void rv_mem_stream_destroy(struct stream *stream); /* wherever it stands */
void rv_mem_stream_line_up(struct stream *stream); /* from its owner to the end of the line */
void rv_mem_stream_own(struct stream *stream, const struct rv_stream_ask *ask, uint64_t token);
void rv_mem_stream_prolong(struct stream *stream, int64_t lease_ms);
bool rv_mem_stream_stands(const struct stream *stream);               /* its lease is not over */
struct reeve_stream *rv_mem_stream_pack(const struct stream *stream); /* or NULL: no memory */

/* ---- letters.c ---- */
/* What becomes of a stream that comes back, counted (S6): in line, or a dead letter if *dead. 0 or
 * REEVE_ENOMEM: then nothing has changed. */
int rv_mem_stream_bounce(struct stream *stream, const struct rv_stream_fault *fault, bool *dead);
void rv_mem_letter_clear(struct group *group);

/* ---- members.c ---- */
void rv_mem_member_clear(struct group *group);

/* ---- the ops, as in stream_ops.h ---- */
int rv_mem_stream_offer(struct rv_store *s, const struct rv_group *group, const char *name,
                        const void *info, size_t info_size, bool *known, struct rv_error *err);
int rv_mem_stream_take(struct rv_store *s, const struct rv_group *group,
                       const struct rv_stream_ask *ask, struct rv_streams *out,
                       struct rv_error *err);
int rv_mem_stream_renew(struct rv_store *s, const struct rv_group *group,
                        struct rv_stream_renewal *renewals, size_t count, int64_t timeout_ms,
                        struct rv_error *err);
int rv_mem_stream_end(struct rv_store *s, const struct rv_group *group,
                      const struct rv_stream_ref *ref, int64_t timeout_ms, struct rv_error *err);
int rv_mem_stream_yield(struct rv_store *s, const struct rv_group *group,
                        const struct rv_stream_ref *ref, const struct rv_stream_fault *fault,
                        int64_t timeout_ms, bool *dead, struct rv_error *err);
int rv_mem_stream_recall(struct rv_store *s, const struct rv_group *group, const char *name,
                         struct rv_error *err);
int rv_mem_stream_recover(struct rv_store *s, const struct rv_group *group,
                          const struct rv_stream_scan *scan, struct rv_stream_scanned *out,
                          struct rv_error *err);
int rv_mem_stream_claim(struct rv_store *s, const struct rv_group *group, const char *name,
                        struct rv_error *err);
int rv_mem_stream_list(struct rv_store *s, const struct rv_group *group,
                       const struct rv_stream_query *query, struct rv_streams *out,
                       struct rv_error *err);
int rv_mem_stream_read(struct rv_store *s, const struct rv_group *group, const char *name,
                       struct reeve_stream **out, struct rv_error *err);
int rv_mem_stream_groups(struct rv_store *s, const char *after, size_t limit, struct rv_names *out,
                         struct rv_error *err);
int rv_mem_stream_stats(struct rv_store *s, const struct rv_group *group, struct reeve_group *out,
                        struct rv_error *err);
int rv_mem_stream_letters(struct rv_store *s, const struct rv_group *group, const char *after,
                          size_t limit, struct rv_letters *out, struct rv_error *err);
int rv_mem_stream_revive(struct rv_store *s, const struct rv_group *group, const char *id,
                         struct rv_error *err);
int rv_mem_stream_purge(struct rv_store *s, const struct rv_group *group,
                        const char *const *letters, size_t count, size_t *removed,
                        struct rv_error *err);
int rv_mem_stream_beat(struct rv_store *s, const struct rv_group *group,
                       const struct rv_member_row *member, int64_t ttl_ms, struct rv_error *err);
int rv_mem_stream_members(struct rv_store *s, const struct rv_group *group, struct rv_members *out,
                          struct rv_error *err);
int rv_mem_stream_reset(struct rv_store *s, struct rv_error *err);

#endif
