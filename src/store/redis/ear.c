#include "store/redis/ear.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "store/redis/conn.h"

/* What is polled. */
enum {
    WAKE,
    CHANNELS,
    SWITCHES,
    FIRST_SLEEPER,
    FIRST_POST = FIRST_SLEEPER + RV_RD_SLEEPERS_MAX,
};

int rv_rd_ear_init(struct rv_rd_ear *ear, struct rv_error *err) {
    *ear = (struct rv_rd_ear){.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (ear->wake_fd >= 0) return 0;
    return rv_fail(err, REEVE_ENOMEM, "no event descriptor: %s", strerror(errno));
}

void rv_rd_ear_release(struct rv_rd_ear *ear) {
    rv_rd_sleepers_close(&ear->sleepers);
    rv_rd_channels_close(&ear->channels);
    rv_rd_switches_close(&ear->switches);
    rv_rd_posts_close(&ear->posts);
    rv_rd_seen_release(&ear->seen);
    (void)close(ear->wake_fd);
}

/* Whether there were any. */
static bool take_wakes(struct rv_rd_ear *ear) {
    uint64_t wakes;
    atomic_store(&ear->woken, false);
    return read(ear->wake_fd, &wakes, sizeof wakes) == (ssize_t)sizeof wakes;
}

bool rv_rd_ear_poll(struct rv_rd_ear *ear, int64_t ms) {
    const struct rv_rd_conn *channels = ear->channels.conn, *switches = ear->switches.conn;
    struct pollfd fds[FIRST_POST + RV_RD_POSTS_MAX] = {
        [WAKE] = {.fd = ear->wake_fd, .events = POLLIN},
        [CHANNELS] = {.fd = channels ? rv_rd_conn_fd(channels) : -1, .events = POLLIN},
        [SWITCHES] = {.fd = switches ? rv_rd_conn_fd(switches) : -1, .events = POLLIN},
    }; /* -1 is passed over */
    for (size_t i = 0; i < RV_RD_SLEEPERS_MAX; i++) {
        const struct rv_rd_bell *bell = &ear->sleepers.all[i].bell;
        fds[FIRST_SLEEPER + i] =
            (struct pollfd){.fd = bell->asleep ? rv_rd_conn_fd(bell->conn) : -1, .events = POLLIN};
    }
    for (size_t i = 0; i < ear->posts.count; i++) {
        const struct rv_rd_conn *conn = ear->posts.all[i].conn;
        fds[FIRST_POST + i] =
            (struct pollfd){.fd = conn ? rv_rd_conn_fd(conn) : -1, .events = POLLIN};
    }
    bool any = poll(fds, FIRST_POST + ear->posts.count, (int)ms) > 0;
    if (any && fds[CHANNELS].revents) ear->channels.conn->drained = false;
    return any && fds[WAKE].revents && take_wakes(ear);
}

void rv_rd_ear_forget_wake(struct rv_rd_ear *ear) {
    if (atomic_load(&ear->woken)) (void)take_wakes(ear);
}

void rv_rd_ear_wake(struct rv_rd_ear *ear) {
    uint64_t one = 1;
    atomic_store(&ear->woken, true);
    ssize_t written = write(ear->wake_fd, &one, sizeof one);
    (void)written; /* it fails only if wakes without number are pending already */
}

void rv_rd_ear_ask_reset(struct rv_rd_ear *ear) {
    (void)atomic_fetch_add(&ear->resets_total, 1);
    atomic_store(&ear->reset, true);
    rv_rd_ear_wake(ear);
}

void rv_rd_ear_reset(struct rv_rd_ear *ear) {
    if (!atomic_exchange(&ear->reset, false)) return;
    rv_rd_sleepers_close(&ear->sleepers);
    rv_rd_channels_disconnect(&ear->channels);
    rv_rd_switches_close(&ear->switches);
    rv_rd_posts_close(&ear->posts);
}
