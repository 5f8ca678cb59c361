/* The vocabulary of the tests about streams: all of them in one group, "feeds". With STREAMS_COMPAT
 * in the environment it is one in the published layout, and has a number: no space tells such
 * groups apart. */
#ifndef STORE_STREAM_WORDS_H
#define STORE_STREAM_WORDS_H

#include "core/limits.h"
#include "store/topics.h"

enum { MIN_IDLE_MS = LEASE_MS, DEAD_MAX = 1000, RETRIES = 3 };

#define STREAM_TEST(function) TEST_NEEDING(RV_CAP_STREAMS, function)

extern struct rv_group feeds;
void name_streams(unsigned number); /* before each test */

bool offer_stream(struct fixture *f, const char *name); /* true: it is new */
void offer_streams(struct fixture *f, size_t count);
struct rv_stream_ask stream_ask(uint64_t holder, size_t want);
uint64_t draw_holder(void);
struct rv_streams take_streams(struct fixture *f, uint64_t holder, size_t want);
struct rv_stream_ref take_stream(struct fixture *f);
size_t take_some(struct fixture *f, size_t want);
struct rv_stream_ref take_new_stream(struct fixture *f, const char *name);
struct rv_stream_renewal renew_stream(struct fixture *f, const struct rv_stream_ref *ref);
int end_stream(struct fixture *f, const struct rv_stream_ref *ref);
int yield_stream(struct fixture *f, const struct rv_stream_ref *ref);
bool fail_stream(struct fixture *f, const struct rv_stream_ref *ref, int64_t max_retries);
struct rv_stream_scanned scan_streams(struct fixture *f, struct rv_stream_scan scan);
struct rv_stream_scanned scan_group(struct fixture *f);
const struct reeve_stream *read_stream(struct fixture *f, const char *name);
bool has_stream(struct fixture *f, const char *name);
struct reeve_group group_stats(struct fixture *f);
struct rv_letters read_letters(struct fixture *f);

#endif
