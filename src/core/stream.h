/* The records of streams and dead letters, each as one block. */
#ifndef RV_CORE_STREAM_H
#define RV_CORE_STREAM_H

#include <reeve.h>

/* Deep copies in one block that free() (reeve_free) ends. The parts may be borrowed from anywhere.
 * NULL when out of memory. */
struct reeve_stream *rv_stream_pack(const struct reeve_stream *stream);
struct reeve_letter *rv_letter_pack(const struct reeve_letter *letter);

#endif
