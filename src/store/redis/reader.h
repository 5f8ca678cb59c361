/* Replies out of bytes: hiredis's reader, held to bounds. What a server sends is foreign: it may be
 * another program on that port, or a server gone mad. */
#ifndef RV_STORE_REDIS_READER_H
#define RV_STORE_REDIS_READER_H

#include <stdbool.h>
#include <stddef.h>

#include <hiredis/hiredis.h>

#define RV_RD_REPLY_BYTES_MAX ((size_t)256 << 20) /* four times the most that a step answers */
enum {
    RV_RD_REPLY_ITEMS_MAX = 1 << 20, /* values of one reply, nested ones counted */
    RV_RD_REPLY_DEPTH_MAX = 6,       /* arrays in arrays: the reader of hiredis 0.14 has 7 */
};

struct rv_rd_reader;

struct rv_rd_reader *rv_rd_reader_create(void); /* NULL when out of memory */
void rv_rd_reader_destroy(struct rv_rd_reader *reader);

/* Takes bytes in. False if they are no protocol, beyond a bound, or memory is out: why is told, and
 * the reader is of no more use. */
bool rv_rd_reader_feed(struct rv_rd_reader *reader, const void *data, size_t size);
/* The next whole reply, or NULL in *out if it has not all come. False as above. */
bool rv_rd_reader_next(struct rv_rd_reader *reader, redisReply **out);
/* Whether all that was fed has been handed out. */
bool rv_rd_reader_is_empty(const struct rv_rd_reader *reader);
const char *rv_rd_reader_reason(const struct rv_rd_reader *reader);

#endif
