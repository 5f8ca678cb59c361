/* Streams in the Redis store: what stands behind the table of their ops. docs/streams.md tells of
 * keys and scripts. */
#ifndef RV_STORE_REDIS_STREAMS_H
#define RV_STORE_REDIS_STREAMS_H

#include "store/redis/redis.h"

extern const struct rv_stream_ops rv_rd_stream_ops;

/* ---- owning: streams.c ---- */
int rv_rd_stream_offer(struct rv_store *s, const struct rv_group *group, const char *name,
                       const void *info, size_t info_size, bool *known, struct rv_error *err);
int rv_rd_stream_take(struct rv_store *s, const struct rv_group *group,
                      const struct rv_stream_ask *ask, struct rv_streams *out,
                      struct rv_error *err);
int rv_rd_stream_renew(struct rv_store *s, const struct rv_group *group,
                       struct rv_stream_renewal *renewals, size_t count, int64_t timeout_ms,
                       struct rv_error *err);
int rv_rd_stream_yield(struct rv_store *s, const struct rv_group *group,
                       const struct rv_stream_ref *ref, const struct rv_stream_fault *fault,
                       int64_t timeout_ms, bool *dead, struct rv_error *err);
int rv_rd_stream_recover(struct rv_store *s, const struct rv_group *group,
                         const struct rv_stream_scan *scan, struct rv_stream_scanned *out,
                         struct rv_error *err);

/* ---- by name: streams_named.c ---- */
int rv_rd_stream_end(struct rv_store *s, const struct rv_group *group,
                     const struct rv_stream_ref *ref, int64_t timeout_ms, struct rv_error *err);
int rv_rd_stream_recall(struct rv_store *s, const struct rv_group *group, const char *name,
                        struct rv_error *err);
int rv_rd_stream_claim(struct rv_store *s, const struct rv_group *group, const char *name,
                       struct rv_error *err);
int rv_rd_stream_read(struct rv_store *s, const struct rv_group *group, const char *name,
                      struct reeve_stream **out, struct rv_error *err);

/* ---- looking, dead letters: streams_list.c ---- */
int rv_rd_stream_list(struct rv_store *s, const struct rv_group *group,
                      const struct rv_stream_query *query, struct rv_streams *out,
                      struct rv_error *err);
int rv_rd_stream_letters(struct rv_store *s, const struct rv_group *group, const char *after,
                         size_t limit, struct rv_letters *out, struct rv_error *err);
int rv_rd_stream_revive(struct rv_store *s, const struct rv_group *group, const char *letter,
                        struct rv_error *err);
int rv_rd_stream_purge(struct rv_store *s, const struct rv_group *group, const char *const *letters,
                       size_t count, size_t *removed, struct rv_error *err);

/* ---- groups and members: streams_groups.c ---- */
/* Whether this handle takes the group's name to stand among those of the space. */
bool rv_rd_stream_is_listed(struct rv_store *s, const struct rv_group *group);
/* Puts it there. It lies in another slot than the group: a step of its own, that goes first. */
int rv_rd_stream_enlist(struct rv_store *s, const struct rv_group *group, struct rv_error *err);
int rv_rd_stream_groups(struct rv_store *s, const char *after, size_t limit, struct rv_names *out,
                        struct rv_error *err);
/* The same, of those of compat or of the others. */
int rv_rd_stream_listed(struct rv_rd *store, bool compat, const char *after, size_t limit,
                        struct rv_names *out, struct rv_error *err);
int rv_rd_stream_stats(struct rv_store *s, const struct rv_group *group, struct reeve_group *out,
                       struct rv_error *err);
int rv_rd_stream_beat(struct rv_store *s, const struct rv_group *group,
                      const struct rv_member_row *member, int64_t ttl_ms, struct rv_error *err);
int rv_rd_stream_members(struct rv_store *s, const struct rv_group *group, struct rv_members *out,
                         struct rv_error *err);

#endif
