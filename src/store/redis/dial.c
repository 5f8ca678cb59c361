#include "store/redis/dial.h"

#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"

/* A peer that is gone without a word is noticed within a minute, also while we only listen. What
 * we sent and nobody took is given up on somewhat sooner. */
enum {
    KEEPALIVE_IDLE_S = 30,
    KEEPALIVE_INTERVAL_S = 10,
    KEEPALIVE_COUNT = 3,
    USER_TIMEOUT_MS = 30000,
};

static int64_t left_ms(int64_t deadline_ms) {
    int64_t left = deadline_ms - rv_clock_boot_ms(&rv_clock_real);
    return left < 0 ? 0 : left;
}

static void set(int fd, int level, int option, int value) {
    (void)setsockopt(fd, level, option, &value, sizeof value); /* works without, only less well */
}

static void tune(int fd) {
    set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(fd, IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_IDLE_S);
    set(fd, IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_INTERVAL_S);
    set(fd, IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_COUNT);
    set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, USER_TIMEOUT_MS);
}

/* 0 or an errno, once the connection that was begun stands or not. */
static int await_connected(int fd, int64_t deadline_ms) {
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    int count;
    do {
        int64_t left = left_ms(deadline_ms);
        count = poll(&ready, 1, left > INT_MAX ? INT_MAX : (int)left);
    } while (count < 0 && errno == EINTR);
    if (count < 0) return errno;
    if (count == 0) return ETIMEDOUT;
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) ? errno : error;
}

static bool is_under_way(int error) {
    return error == EINPROGRESS || error == EINTR;
}

/* *out, and 0 or an errno that says that it is under way; or another. */
static int begin_address(const struct sockaddr *address, socklen_t size, int *out) {
    int fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return errno;
    if (address->sa_family != AF_UNIX) tune(fd);
    int error = connect(fd, address, size) ? errno : 0;
    if (!error || is_under_way(error))
        *out = fd;
    else
        (void)close(fd);
    return error;
}

/* 0 and *out, or an errno. */
static int try_address(const struct sockaddr *address, socklen_t size, int64_t deadline_ms,
                       int *out) {
    int fd = -1, error = begin_address(address, size, &fd);
    if (is_under_way(error)) {
        error = await_connected(fd, deadline_ms);
        if (error) (void)close(fd);
    }
    if (!error) *out = fd;
    return error;
}

static int fail(const struct rv_rd_target *target, const char *reason, struct rv_error *err) {
    return rv_fail(err, REEVE_EUNREACHABLE, "cannot connect to %s: %s", target->shown, reason);
}

static int dial_path(const struct rv_rd_target *target, int64_t deadline_ms, int *fd,
                     struct rv_error *err) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t size = strlen(target->path);
    if (size >= sizeof address.sun_path)
        return rv_fail(err, REEVE_EINVAL, "%s: too long for the path of a socket", target->path);
    memcpy(address.sun_path, target->path, size);
    int error = try_address((const struct sockaddr *)&address, sizeof address, deadline_ms, fd);
    return error ? fail(target, strerror(error), err) : 0;
}

static int dial_addresses(const struct rv_rd_target *target, const struct addrinfo *addresses,
                          int64_t deadline_ms, int *fd, struct rv_error *err) {
    int64_t count = 0;
    for (const struct addrinfo *at = addresses; at; at = at->ai_next)
        count++;
    int error = EADDRNOTAVAIL;
    for (const struct addrinfo *at = addresses; at; at = at->ai_next, count--) {
        int64_t share_ms = left_ms(deadline_ms) / count;
        int64_t until_ms = rv_time_add(rv_clock_boot_ms(&rv_clock_real), share_ms);
        error = try_address(at->ai_addr, at->ai_addrlen, until_ms, fd);
        if (!error) return 0;
    }
    return fail(target, strerror(error), err);
}

static int resolve(const struct rv_rd_target *target, struct addrinfo **out) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    return getaddrinfo(target->host, target->port, &hints, out);
}

int rv_rd_dial_begin(const struct rv_rd_target *target, unsigned turn) {
    struct addrinfo *addresses = NULL;
    unsigned count = 0;
    int fd = -1;
    if (resolve(target, &addresses)) return -1;
    for (const struct addrinfo *at = addresses; at; at = at->ai_next)
        count++;
    const struct addrinfo *at = addresses;
    for (unsigned i = count ? turn % count : 0; i > 0; i--)
        at = at->ai_next;
    if (at) (void)begin_address(at->ai_addr, at->ai_addrlen, &fd);
    freeaddrinfo(addresses);
    return fd;
}

int rv_rd_dial(const struct rv_rd_target *target, int64_t deadline_ms, int *fd,
               struct rv_error *err) {
    if (target->path) return dial_path(target, deadline_ms, fd, err);
    struct addrinfo *addresses = NULL;
    int result = resolve(target, &addresses);
    if (result == EAI_MEMORY) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    if (result) return fail(target, gai_strerror(result), err);
    int rc = dial_addresses(target, addresses, deadline_ms, fd, err);
    freeaddrinfo(addresses);
    return rc;
}
