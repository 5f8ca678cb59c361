#include "store/redis/probe.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "store/redis/dial.h"

enum { NONE = -1, TAKEN = -2 };        /* instead of a file */
enum { ANEW_MS = 10000 };              /* a network that swallowed it may let another one through */
static const char word[] = "PING\r\n"; /* who wants a password, or TLS, answers by saying so */

void rv_rd_probe_init(struct rv_rd_probe *probe) {
    *probe = (struct rv_rd_probe){0};
    atomic_init(&probe->fd, NONE);
}

void rv_rd_probe_close(struct rv_rd_probe *probe) {
    int fd = atomic_load(&probe->fd);
    if (fd >= 0 && atomic_compare_exchange_strong(&probe->fd, &fd, NONE)) (void)close(fd);
}

/* Says the word once it can be, and tells whether something came back. */
static bool hear(struct rv_rd_probe *probe, int fd) {
    struct pollfd ready = {.fd = fd, .events = (short)(probe->said ? POLLIN : POLLIN | POLLOUT)};
    if (poll(&ready, 1, 0) <= 0) return false;
    if (ready.revents & (POLLIN | POLLERR | POLLHUP)) return true;
    probe->said = true;
    return send(fd, word, strlen(word), MSG_NOSIGNAL | MSG_DONTWAIT) < 0;
}

bool rv_rd_probe_look(struct rv_rd_probe *probe, const struct rv_rd_target *target,
                      int64_t now_ms) {
    int fd = atomic_exchange(&probe->fd, TAKEN);
    if (fd == TAKEN) return false;
    if (fd >= 0 && now_ms - probe->since_ms >= ANEW_MS) {
        (void)close(fd);
        fd = NONE;
    }
    if (fd == NONE) {
        fd = rv_rd_dial_begin(target, probe->turn++);
        probe->since_ms = now_ms;
        probe->said = false;
    }
    bool answers = fd < 0 || hear(probe, fd);
    if (answers && fd >= 0) (void)close(fd);
    atomic_store(&probe->fd, answers ? NONE : fd);
    return answers;
}
