#include "store/sqlite/bell.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

enum { WAIT_MS_MAX = 1000 }; /* poll() takes an int; nobody waits longer between looks */

int rv_sq_bell_init(struct rv_sq_bell *bell, const char *path, struct rv_error *err) {
    *bell = (struct rv_sq_bell){.wake_fd = -1, .watch_fd = -1, .watch = -1};
    size_t size = strlen(path);
    bell->path = malloc(size + sizeof "-wal");
    if (!bell->path) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    memcpy(bell->path, path, size);
    memcpy(bell->path + size, "-wal", sizeof "-wal");
    bell->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (bell->wake_fd >= 0) return 0;
    free(bell->path);
    return rv_fail(err, REEVE_ENOMEM, "no event descriptor: %s", strerror(errno));
}

void rv_sq_bell_release(struct rv_sq_bell *bell) {
    if (bell->watch_fd >= 0) (void)close(bell->watch_fd);
    (void)close(bell->wake_fd);
    free(bell->path);
}

void rv_sq_bell_ring(const struct rv_sq_bell *bell, bool only_ends) {
    /* SQLite has no locks on the log; of the other two files, closing would drop them. */
    int fd = open(bell->path, (only_ends ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0) (void)close(fd);
}

void rv_sq_bell_wake(const struct rv_sq_bell *bell) {
    uint64_t one = 1;
    ssize_t written = write(bell->wake_fd, &one, sizeof one);
    (void)written; /* it fails only if wakes without number are pending already */
}

void rv_sq_bell_listen(struct rv_sq_bell *bell, bool for_ends) {
    if (bell->watch_fd < 0) bell->watch_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (bell->watch_fd < 0 || (bell->watch >= 0 && bell->for_ends == for_ends)) return;
    uint32_t closed = IN_CLOSE_NOWRITE | (for_ends ? IN_CLOSE_WRITE : 0U);
    bell->watch = inotify_add_watch(bell->watch_fd, bell->path, closed);
    bell->for_ends = for_ends;
}

/* Takes all that the kernel has told. The file may be gone, with the last connection to it. */
static void drain(struct rv_sq_bell *bell) {
    union {
        struct inotify_event event;
        char bytes[4096];
    } buffer;
    ssize_t size;
    while ((size = read(bell->watch_fd, &buffer, sizeof buffer)) > 0) {
        for (ssize_t at = 0; at < size;) {
            struct inotify_event event;
            memcpy(&event, buffer.bytes + at, sizeof event);
            if (event.mask & IN_IGNORED) bell->watch = -1;
            at += (ssize_t)(sizeof event + event.len);
        }
    }
}

bool rv_sq_bell_wait(struct rv_sq_bell *bell, int64_t ms) {
    struct pollfd fds[] = {{.fd = bell->wake_fd, .events = POLLIN},
                           {.fd = bell->watch_fd, .events = POLLIN}};
    (void)poll(fds, 2, ms < WAIT_MS_MAX ? (int)ms : WAIT_MS_MAX);
    if (bell->watch_fd >= 0) drain(bell);
    uint64_t wakes;
    return read(bell->wake_fd, &wakes, sizeof wakes) == (ssize_t)sizeof wakes;
}
