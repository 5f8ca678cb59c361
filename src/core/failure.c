#include "core/failure.h"

enum { VERSION = 1 };

int rv_failure_write(struct rv_buf *buf, const struct reeve_failure *error) {
    (void)rv_buf_add_u8(buf, VERSION);
    (void)rv_buf_add_string(buf, error->message ? error->message : "");
    (void)rv_buf_add_string(buf, error->code ? error->code : "");
    (void)rv_buf_add_sized(buf, error->detail, error->detail_size);
    return buf->error;
}

bool rv_failure_read(struct rv_bytes bytes, struct reeve_failure *out) {
    struct rv_reader reader;
    rv_reader_init(&reader, bytes);
    if (rv_read_u8(&reader) != VERSION) reader.failed = 1;
    out->message = rv_read_string(&reader);
    out->code = rv_read_string(&reader);
    struct rv_bytes detail = rv_read_sized(&reader);
    out->detail = detail.size ? detail.data : NULL;
    out->detail_size = detail.size;
    return !reader.failed;
}
