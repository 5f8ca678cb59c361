/* _GNU_SOURCE: accept4(), struct ucred. */
#define _GNU_SOURCE
#include "work/desk.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/thread.h"
#include "work/inquiry.h"

enum {
    GUESTS_MAX = 32,  /* at once; the others wait to be let in */
    GUEST_MS = 5000,  /* then who has not asked is shown out */
    FULL_MS = 100,    /* after a guest could not be let in for want of a descriptor */
    LISTEN_MAX = 128, /* who may wait outside */
};

struct guest {
    int fd;
    int64_t until_ms;
    size_t size;
    char line[RV_INQUIRY_SIZE];
};

struct rv_desk {
    struct rv_service *service;
    char folder[RV_DESK_PATH_SIZE - sizeof "/socket"], path[RV_DESK_PATH_SIZE];
    int listen_fd, stop_fd;
    bool started;
    pthread_t thread;

    /* The thread's own. */
    struct guest guests[GUESTS_MAX];
    size_t guest_count;
    int64_t closed_until_ms;
};

static int64_t now_ms(void) {
    return rv_clock_boot_ms(&rv_clock_real);
}

/* ---- guests ---- */

static void show_out(struct rv_desk *d, size_t index) {
    (void)close(d->guests[index].fd);
    d->guests[index] = d->guests[--d->guest_count];
}

/* An answer fits into any socket's buffer; who does not take it has gone. */
static void answer(struct rv_desk *d, size_t index) {
    char text[RV_INQUIRY_SIZE];
    struct guest *guest = &d->guests[index];
    rv_inquiry_answer(d->service->store, guest->line, text);
    (void)send(guest->fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
    show_out(d, index);
}

/* Reads on. A line that is too long is answered as far as it came: it makes no sense. */
static void hear(struct rv_desk *d, size_t index) {
    struct guest *guest = &d->guests[index];
    size_t room = sizeof guest->line - 1 - guest->size;
    ssize_t size = recv(guest->fd, guest->line + guest->size, room, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (size <= 0) {
        show_out(d, index);
        return;
    }
    guest->size += (size_t)size;
    guest->line[guest->size] = '\0';
    char *end = memchr(guest->line, '\n', guest->size);
    if (end) *end = '\0';
    if (end || guest->size == sizeof guest->line - 1) answer(d, index);
}

static bool is_of_this_user(int fd) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) && peer.uid == geteuid();
}

static void let_in(struct rv_desk *d) {
    int fd = accept4(d->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
        bool gone = errno == EAGAIN || errno == EINTR || errno == ECONNABORTED;
        if (!gone) d->closed_until_ms = rv_time_add(now_ms(), FULL_MS);
        return;
    }
    if (!is_of_this_user(fd)) {
        (void)close(fd);
        return;
    }
    struct guest *guest = &d->guests[d->guest_count++];
    guest->fd = fd;
    guest->size = 0;
    guest->until_ms = rv_time_add(now_ms(), GUEST_MS);
}

/* ---- the thread ---- */

static bool is_open(const struct rv_desk *d) {
    return d->guest_count < GUESTS_MAX && now_ms() >= d->closed_until_ms;
}

static int timeout_of(const struct rv_desk *d) {
    int64_t now = now_ms(), at_ms = INT64_MAX;
    if (d->closed_until_ms > now) at_ms = d->closed_until_ms;
    for (size_t i = 0; i < d->guest_count; i++) {
        if (d->guests[i].until_ms < at_ms) at_ms = d->guests[i].until_ms;
    }
    if (at_ms == INT64_MAX) return -1;
    return at_ms > now ? (int)(at_ms - now) : 0;
}

/* Backwards: who is shown out is replaced by the last, who was looked at already. */
static void attend(struct rv_desk *d, const struct pollfd *fds) {
    for (size_t i = d->guest_count; i-- > 0;) {
        if (fds[i].revents)
            hear(d, i);
        else if (now_ms() >= d->guests[i].until_ms)
            show_out(d, i);
    }
}

static void *serve(void *arg) {
    struct rv_desk *d = arg;
    for (;;) {
        struct pollfd fds[2 + GUESTS_MAX] = {
            {.fd = d->stop_fd, .events = POLLIN},
            {.fd = is_open(d) ? d->listen_fd : -1, .events = POLLIN},
        };
        for (size_t i = 0; i < d->guest_count; i++)
            fds[2 + i] = (struct pollfd){.fd = d->guests[i].fd, .events = POLLIN};
        if (poll(fds, 2 + d->guest_count, timeout_of(d)) < 0) continue; /* EINTR */
        if (fds[0].revents) break;
        attend(d, fds + 2);
        if (fds[1].revents) let_in(d);
    }
    while (d->guest_count > 0)
        show_out(d, 0);
    return NULL;
}

/* ---- opening ---- */

static int make_folder_in(struct rv_desk *d, const char *parent) {
    if (!parent || parent[0] != '/') return ENOENT;
    int size = snprintf(d->folder, sizeof d->folder, "%s/reeve-XXXXXX", parent);
    if ((size_t)size >= sizeof d->folder) return ENAMETOOLONG;
    return mkdtemp(d->folder) ? 0 : errno;
}

static int make_folder(struct rv_desk *d) {
    const char *const parents[] = {getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp"};
    int error = ENOENT;
    for (size_t i = 0; error && i < sizeof parents / sizeof *parents; i++)
        error = make_folder_in(d, parents[i]);
    if (error) d->folder[0] = '\0';
    return error;
}

static int make_socket(struct rv_desk *d) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", d->folder);
    d->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (d->listen_fd < 0) return errno;
    if (bind(d->listen_fd, (const struct sockaddr *)&address, sizeof address)) return errno;
    memcpy(d->path, address.sun_path, sizeof d->path);
    if (chmod(d->path, S_IRUSR | S_IWUSR) || listen(d->listen_fd, LISTEN_MAX)) return errno;
    d->stop_fd = eventfd(0, EFD_CLOEXEC);
    return d->stop_fd < 0 ? errno : 0;
}

int rv_desk_open(struct rv_desk **out, struct rv_service *service, struct rv_error *err) {
    *out = NULL;
    struct rv_desk *d = calloc(1, sizeof *d);
    if (!d) return rv_fail(err, REEVE_ENOMEM, "no memory for a socket");
    d->service = service;
    d->listen_fd = d->stop_fd = -1;
    int error = make_folder(d);
    if (!error) error = make_socket(d);
    if (error) {
        rv_desk_close(d);
        return rv_fail(err, REEVE_EUNREACHABLE, "cannot make a socket: %s", strerror(error));
    }
    *out = d;
    return 0;
}

int rv_desk_start(struct rv_desk *d, struct rv_error *err) {
    if (rv_thread_start(&d->thread, serve, d))
        return rv_fail(err, REEVE_ENOMEM, "cannot start the thread that answers programs");
    d->started = true;
    return 0;
}

void rv_desk_close(struct rv_desk *d) {
    const uint64_t one = 1;
    if (!d) return;
    if (d->started && write(d->stop_fd, &one, sizeof one) == (ssize_t)sizeof one)
        (void)pthread_join(d->thread, NULL);
    if (d->listen_fd >= 0) (void)close(d->listen_fd);
    if (d->stop_fd >= 0) (void)close(d->stop_fd);
    if (d->path[0]) (void)unlink(d->path);
    if (d->folder[0]) (void)rmdir(d->folder);
    free(d);
}

const char *rv_desk_path(const struct rv_desk *d) {
    return d ? d->path : NULL;
}

const char *rv_desk_folder(const struct rv_desk *d) {
    return d ? d->folder : NULL;
}
