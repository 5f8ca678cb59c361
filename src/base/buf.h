/* A growing run of bytes, born with its maximum. */
#ifndef RV_BASE_BUF_H
#define RV_BASE_BUF_H

#include <stdint.h>

#include "base/bytes.h"

struct rv_buf {
    unsigned char *data;
    size_t size, capacity, max;
    int error; /* sticky: the first REEVE_E* that an append met; later appends do nothing */
};

void rv_buf_init(struct rv_buf *buf, size_t max);
void rv_buf_release(struct rv_buf *buf);
/* Appends return 0, REEVE_ENOMEM or REEVE_ETOOBIG, and remember it, so that a run of them can be
 * checked once at its end. */
int rv_buf_add(struct rv_buf *buf, const void *data, size_t size);
/* Room for size bytes behind the others, or NULL: for who writes them there himself, and then tells
 * where they end. */
void *rv_buf_room(struct rv_buf *buf, size_t size);
void rv_buf_fill(struct rv_buf *buf, const void *end);
int rv_buf_add_text(struct rv_buf *buf, const char *text); /* without its NUL */
int rv_buf_add_u8(struct rv_buf *buf, uint8_t value);
int rv_buf_add_u32(struct rv_buf *buf, uint32_t value); /* big-endian, as are all numbers here */
int rv_buf_add_u64(struct rv_buf *buf, uint64_t value);
int rv_buf_add_uint(struct rv_buf *buf, uint64_t value,
                    size_t size); /* its last size (<= 8) bytes */
int rv_buf_add_sized(struct rv_buf *buf, const void *data, size_t size); /* u32 size, then bytes */
/* The same for a text with its NUL, so that it can be shown in place. NULL: none. */
int rv_buf_add_string(struct rv_buf *buf, const char *text);

/* Reads what the above wrote. A read past the end sets failed and gives zeros. */
struct rv_reader {
    const unsigned char *at, *end;
    int failed;
};

void rv_reader_init(struct rv_reader *reader, struct rv_bytes bytes);
uint8_t rv_read_u8(struct rv_reader *reader);
uint32_t rv_read_u32(struct rv_reader *reader);
uint64_t rv_read_u64(struct rv_reader *reader);
uint64_t rv_read_uint(struct rv_reader *reader, size_t size);
struct rv_bytes rv_read_bytes(struct rv_reader *reader, size_t size);
struct rv_bytes rv_read_sized(struct rv_reader *reader);
const char *rv_read_string(struct rv_reader *reader); /* NULL if there is none */
/* Copies size bytes to out, and a NUL behind them. Fails if that has no room for them. */
void rv_read_text(struct rv_reader *reader, size_t size, char *out, size_t room);

#endif
