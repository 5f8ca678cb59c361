#include "purge.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "exit.h"
#include "progress.h"

enum { LOOK_MS = 200 };

/* A thread that looks how many are left, while another removes them. */
struct bystander {
    reeve *r;
    const char *queue;
    enum reeve_state state;
    struct progress progress;
    pthread_t thread;
    pthread_mutex_t lock; /* guards over */
    pthread_cond_t cond;
    bool over;
};

static uint64_t count_left(const struct reeve_queue *queue, enum reeve_state state) {
    switch (state) {
    case REEVE_DELAYED:
        return queue->delayed;
    case REEVE_READY:
        return queue->ready;
    case REEVE_RUNNING:
        return queue->running;
    case REEVE_DONE:
        return queue->done;
    case REEVE_FAILED:
        return queue->failed;
    case REEVE_CANCELLED:
        return queue->cancelled;
    }
    return queue->delayed + queue->ready;
}

static bool read_left(const struct bystander *b, uint64_t *out) {
    struct reeve_queue *queue;
    if (reeve_queue_read(b->r, b->queue, &queue)) return false;
    *out = count_left(queue, b->state);
    reeve_free(queue);
    return true;
}

/* Until it is over, or for a while. */
static bool is_over(struct bystander *b) {
    struct timespec until;
    int rc = 0;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void)pthread_mutex_lock(&b->lock);
    while (!b->over && rc != ETIMEDOUT)
        rc = pthread_cond_timedwait(&b->cond, &b->lock, &until);
    bool over = b->over;
    (void)pthread_mutex_unlock(&b->lock);
    return over;
}

static void *look_on(void *arg) {
    struct bystander *b = arg;
    uint64_t left;
    while (!is_over(b)) {
        if (!read_left(b, &left)) continue;
        uint64_t gone = left < b->progress.total ? b->progress.total - left : 0;
        progress_show(&b->progress, gone, gone);
    }
    return NULL;
}

int purge(const struct cli *cli, reeve *r, const char *queue, enum reeve_state state,
          uint64_t *removed) {
    struct bystander b = {.r = r,
                          .queue = queue,
                          .state = state,
                          .lock = PTHREAD_MUTEX_INITIALIZER,
                          .cond = PTHREAD_COND_INITIALIZER};
    uint64_t total;
    progress_init(&b.progress, "removed", 0, cli->quiet);
    bool watched = !b.progress.off && read_left(&b, &total);
    if (watched) {
        b.progress.total = total;
        watched = !pthread_create(&b.thread, NULL, look_on, &b);
    }
    int rc = reeve_queue_purge(r, queue, state, removed);
    if (!watched) return rc;
    (void)pthread_mutex_lock(&b.lock);
    b.over = true;
    (void)pthread_cond_signal(&b.cond);
    (void)pthread_mutex_unlock(&b.lock);
    (void)pthread_join(b.thread, NULL);
    progress_clear(&b.progress);
    return rc;
}

/* One command after another, for there is none that removes all. */
void purge_hint(const struct cli *cli, reeve *r, const char *queue) {
    char commands[1024] = "";
    size_t used = 0;
    struct reeve_queue *counts;
    if (reeve_queue_read(r, queue, &counts)) return;
    for (enum reeve_state state = REEVE_DELAYED; state <= REEVE_CANCELLED; state++) {
        if (state == REEVE_RUNNING || !count_left(counts, state)) continue;
        int size =
            snprintf(commands + used, sizeof commands - used, "%sreeve queue purge %s --state %s",
                     used ? " && " : "", queue, reeve_state_name(state));
        if (size < 0 || used + (size_t)size >= sizeof commands) break;
        used += (size_t)size;
    }
    bool elsewhere = cli->store || cli->space || cli->config_path;
    if (used)
        (void)fail(EXIT_NO, "what does not run is removed%s by: %s",
                   elsewhere ? ", with the same options," : "", commands);
    reeve_free(counts);
}
