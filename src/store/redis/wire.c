#include "store/redis/wire.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "store/redis/dial.h"

/* ---- without TLS ---- */
static long took(struct rv_rd_wire *wire, ssize_t size) {
    if (size > 0) return (long)size;
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return 0;
    const char *reason = size < 0 ? strerror(errno) : "the server closed the connection";
    (void)snprintf(wire->reason, sizeof wire->reason, "%s", reason);
    return -1;
}

long rv_rd_wire_read(struct rv_rd_wire *wire, void *to, size_t size) {
    return took(wire, recv(wire->fd, to, size, 0));
}

long rv_rd_wire_write(struct rv_rd_wire *wire, const void *from, size_t size) {
    return took(wire, send(wire->fd, from, size, MSG_NOSIGNAL));
}

bool rv_rd_wire_await(const struct rv_rd_wire *wire, bool to_read, bool to_write,
                      int64_t deadline_ms) {
    int events = (to_read ? wire->read_events : 0) | (to_write ? wire->write_events : 0);
    struct pollfd ready = {.fd = wire->fd, .events = (short)events};
    for (;;) {
        int64_t left_ms = deadline_ms - rv_clock_boot_ms(&rv_clock_real);
        if (left_ms < 0) left_ms = 0;
        int count = poll(&ready, 1, left_ms > INT_MAX ? INT_MAX : (int)left_ms);
        if (count == 0 && left_ms > INT_MAX) continue;
        if (count >= 0 || errno != EINTR) return count != 0;
    }
}

int rv_rd_wire_open(struct rv_rd_wire *wire, const struct rv_rd_target *target, int64_t deadline_ms,
                    struct rv_error *err) {
    *wire = (struct rv_rd_wire){.fd = -1, .read_events = POLLIN, .write_events = POLLOUT};
    return rv_rd_dial(target, deadline_ms, &wire->fd, err);
}

void rv_rd_wire_close(struct rv_rd_wire *wire) {
    if (wire->fd >= 0) (void)close(wire->fd);
    wire->fd = -1;
}
