/* The records of streams and dead letters, each as one block. */
#ifndef RV_CORE_STREAM_H
#define RV_CORE_STREAM_H

#include <reeve.h>

#include "base/buf.h"

/* Deep copies in one block that free() (reeve_free) ends. The parts may be borrowed from anywhere.
 * NULL when out of memory. */
struct reeve_stream *rv_stream_pack(const struct reeve_stream *stream);
struct reeve_letter *rv_letter_pack(const struct reeve_letter *letter);

/* The figures of a member as its row in a store has them: numbers of 8 bytes each, in the order of
 * the struct. What an older member does not tell is 0; what a newer one tells besides is left. */
#define RV_MEMBER_STATS_SIZE (sizeof(struct reeve_member_stats) - sizeof(size_t))
int rv_member_stats_pack(const struct reeve_member_stats *stats, struct rv_buf *out);
void rv_member_stats_unpack(struct rv_bytes bytes, struct reeve_member_stats *out);

#endif
