#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

#include <reeve.h>

void rv_buf_init(struct rv_buf *buf, size_t max) {
    *buf = (struct rv_buf){.max = max};
}

void rv_buf_release(struct rv_buf *buf) {
    free(buf->data);
    *buf = (struct rv_buf){.max = buf->max};
}

static int reserve(struct rv_buf *buf, size_t more) {
    if (buf->error) return buf->error;
    if (more > buf->max - buf->size) return buf->error = REEVE_ETOOBIG;
    size_t need = buf->size + more;
    if (need <= buf->capacity) return 0;
    size_t capacity = buf->capacity ? buf->capacity : 64;
    while (capacity < need)
        capacity *= 2;
    unsigned char *data = realloc(buf->data, capacity);
    if (!data) return buf->error = REEVE_ENOMEM;
    buf->data = data;
    buf->capacity = capacity;
    return 0;
}

void *rv_buf_room(struct rv_buf *buf, size_t size) {
    return reserve(buf, size) ? NULL : buf->data + buf->size;
}

void rv_buf_fill(struct rv_buf *buf, const void *end) {
    buf->size = (size_t)((const unsigned char *)end - buf->data);
}

int rv_buf_add(struct rv_buf *buf, const void *data, size_t size) {
    int rc = reserve(buf, size);
    if (rc) return rc;
    if (size) memcpy(buf->data + buf->size, data, size);
    buf->size += size;
    return 0;
}

int rv_buf_add_text(struct rv_buf *buf, const char *text) {
    return rv_buf_add(buf, text, strlen(text));
}

int rv_buf_add_u8(struct rv_buf *buf, uint8_t value) {
    return rv_buf_add(buf, &value, 1);
}

int rv_buf_add_uint(struct rv_buf *buf, uint64_t value, size_t size) {
    unsigned char bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(value >> (8 * (size - 1 - i)));
    return rv_buf_add(buf, bytes, size);
}

int rv_buf_add_u32(struct rv_buf *buf, uint32_t value) {
    return rv_buf_add_uint(buf, value, 4);
}

int rv_buf_add_u64(struct rv_buf *buf, uint64_t value) {
    return rv_buf_add_uint(buf, value, 8);
}

int rv_buf_add_sized(struct rv_buf *buf, const void *data, size_t size) {
    if (size > UINT32_MAX) return buf->error = REEVE_ETOOBIG;
    int rc = rv_buf_add_u32(buf, (uint32_t)size);
    return rc ? rc : rv_buf_add(buf, data, size);
}

int rv_buf_add_string(struct rv_buf *buf, const char *text) {
    return rv_buf_add_sized(buf, text, text ? strlen(text) + 1 : 0);
}

void rv_reader_init(struct rv_reader *reader, struct rv_bytes bytes) {
    const unsigned char *data = bytes.data;
    *reader = (struct rv_reader){.at = data, .end = bytes.size ? data + bytes.size : data};
}

static const unsigned char *take(struct rv_reader *reader, size_t size) {
    if (reader->failed || size > (size_t)(reader->end - reader->at)) {
        reader->failed = 1;
        return NULL;
    }
    const unsigned char *at = reader->at;
    reader->at += size;
    return at;
}

uint64_t rv_read_uint(struct rv_reader *reader, size_t size) {
    const unsigned char *at = take(reader, size);
    uint64_t value = 0;
    for (size_t i = 0; at && i < size; i++)
        value = value << 8 | at[i];
    return value;
}

uint8_t rv_read_u8(struct rv_reader *reader) {
    return (uint8_t)rv_read_uint(reader, 1);
}

uint32_t rv_read_u32(struct rv_reader *reader) {
    return (uint32_t)rv_read_uint(reader, 4);
}

uint64_t rv_read_u64(struct rv_reader *reader) {
    return rv_read_uint(reader, 8);
}

struct rv_bytes rv_read_bytes(struct rv_reader *reader, size_t size) {
    const void *data = take(reader, size);
    return (struct rv_bytes){.data = data, .size = data ? size : 0};
}

struct rv_bytes rv_read_sized(struct rv_reader *reader) {
    return rv_read_bytes(reader, rv_read_u32(reader));
}

const char *rv_read_string(struct rv_reader *reader) {
    struct rv_bytes bytes = rv_read_sized(reader);
    const char *text = bytes.data;
    if (bytes.size && text[bytes.size - 1] != '\0') reader->failed = 1;
    return bytes.size ? text : NULL;
}

void rv_read_text(struct rv_reader *reader, size_t size, char *out, size_t room) {
    struct rv_bytes text = rv_read_bytes(reader, size);
    if (text.size >= room) reader->failed = 1;
    if (reader->failed) return;
    if (text.size) memcpy(out, text.data, text.size);
    out[text.size] = '\0';
}
