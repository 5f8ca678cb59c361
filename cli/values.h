/* Values as people write them. Each parser returns NULL, or what is wrong with the text. */
#ifndef CLI_VALUES_H
#define CLI_VALUES_H

#include <stddef.h>
#include <stdint.h>

const char *parse_int(const char *text, int64_t *out);
const char *parse_duration(const char *text, int64_t *out_ms); /* 250ms 5s 1m 2h 7d */
const char *parse_size(const char *text, size_t *out);         /* 100 64k 1M 2G: powers of 1024 */
const char *parse_time(const char *text, int64_t *out_ms);     /* RFC 3339: 2026-01-31T12:00:00Z */

/* QUEUE/ID: the queue ends at the first slash (no queue's name has one). */
struct address {
    char queue[129];
    const char *id;
};
const char *parse_address(const char *text, struct address *out);

#endif
