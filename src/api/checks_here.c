/* A check asked inside a program that a worker runs, through the worker's socket: the program has
 * no store of its own, and need not know where its worker has one. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "api/errmsg.h"
#include "base/clock.h"
#include "core/check.h"

enum {
    ANSWER_MS = 15000, /* longer than the worker itself waits for its store */
    LINE_SIZE = 1024,
};

struct talk {
    int fd;
    int64_t until_ms;
};

static int away(struct rv_error *err, const char *what) {
    return rv_fail(err, REEVE_EUNREACHABLE, "the worker cannot be asked: %s: %s", what,
                   strerror(errno));
}

/* A variable that the worker sets, or ESTATE. */
static int read_variable(const char *name, const char **out, struct rv_error *err) {
    *out = getenv(name);
    if (*out && **out) return 0;
    return rv_fail(err, REEVE_ESTATE, "%s is not set: this is no program that a worker runs", name);
}

static int make_request(char out[LINE_SIZE], struct rv_error *err) {
    const char *queue, *id, *lease;
    int rc = read_variable("REEVE_QUEUE", &queue, err);
    if (!rc) rc = read_variable("REEVE_ID", &id, err);
    if (!rc) rc = read_variable("REEVE_LEASE", &lease, err);
    if (!rc) rc = rv_check_name("queue", queue, err);
    if (!rc) rc = rv_check_id(id, err);
    if (rc) return rc;
    if (snprintf(out, LINE_SIZE, "check %s/%s %s\n", queue, id, lease) >= LINE_SIZE)
        rc = rv_fail(err, REEVE_EINVAL, "REEVE_LEASE is no lease");
    return rc;
}

static int connect_to(const char *path, int *out, struct rv_error *err) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return rv_fail(err, REEVE_EINVAL, "REEVE_SOCKET is too long for a socket's path");
    memcpy(address.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0) return away(err, "socket");
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) || fcntl(fd, F_SETFL, O_NONBLOCK) ||
        connect(fd, (const struct sockaddr *)&address, sizeof address)) {
        (void)away(err, path);
        (void)close(fd);
        return REEVE_EUNREACHABLE;
    }
    *out = fd;
    return 0;
}

/* Until the socket is ready for events, or the time is over. */
static int await(const struct talk *talk, short events, struct rv_error *err) {
    struct pollfd fd = {.fd = talk->fd, .events = events};
    for (;;) {
        int64_t left_ms = talk->until_ms - rv_clock_boot_ms(&rv_clock_real);
        int count = left_ms > 0 ? poll(&fd, 1, (int)left_ms) : 0;
        if (count > 0) return 0;
        if (!count) return rv_fail(err, REEVE_EUNREACHABLE, "the worker did not answer in time");
        if (errno != EINTR) return away(err, "poll");
    }
}

static int send_line(const struct talk *talk, const char *line, struct rv_error *err) {
    size_t left = strlen(line);
    while (left > 0) {
        ssize_t size = send(talk->fd, line, left, MSG_NOSIGNAL);
        if (size < 0 && errno == EAGAIN) {
            int rc = await(talk, POLLOUT, err);
            if (rc) return rc;
        } else if (size < 0 && errno != EINTR) {
            return away(err, "send");
        }
        if (size <= 0) continue;
        line += size;
        left -= (size_t)size;
    }
    return 0;
}

static int receive_line(const struct talk *talk, char out[LINE_SIZE], struct rv_error *err) {
    size_t have = 0;
    while (have < LINE_SIZE - 1) {
        int rc = await(talk, POLLIN, err);
        if (rc) return rc;
        ssize_t size = recv(talk->fd, out + have, LINE_SIZE - 1 - have, 0);
        if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (size < 0) return away(err, "recv");
        if (!size) break;
        have += (size_t)size;
        out[have] = '\0';
        char *end = strchr(out, '\n');
        if (!end) continue;
        *end = '\0';
        return 0;
    }
    return rv_fail(err, REEVE_EUNREACHABLE, "the worker hung up");
}

static int judge(const char *answer, struct rv_error *err) {
    if (!strcmp(answer, "current")) return 0;
    if (!strcmp(answer, "fenced")) return rv_fail(err, REEVE_EFENCED, "the lease is another's now");
    if (!strncmp(answer, "refused ", 8))
        return rv_fail(err, REEVE_EINVAL, "the worker says: %s", answer + 8);
    if (!strncmp(answer, "unsure ", 7))
        return rv_fail(err, REEVE_EUNREACHABLE, "the worker cannot tell: %s", answer + 7);
    return rv_fail(err, REEVE_EUNREACHABLE, "the worker's answer makes no sense");
}

static int ask(struct rv_error *err) {
    char line[LINE_SIZE];
    const char *path;
    struct talk talk = {.fd = -1,
                        .until_ms = rv_time_add(rv_clock_boot_ms(&rv_clock_real), ANSWER_MS)};
    int rc = read_variable("REEVE_SOCKET", &path, err);
    if (!rc) rc = make_request(line, err);
    if (!rc) rc = connect_to(path, &talk.fd, err);
    if (rc) return rc;
    rc = send_line(&talk, line, err);
    if (!rc) rc = receive_line(&talk, line, err);
    (void)close(talk.fd);
    return rc ? rc : judge(line, err);
}

int reeve_check_here(void) {
    struct rv_error err = {0};
    return rv_api_result(ask(&err), &err);
}
