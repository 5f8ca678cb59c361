#include "work/sweeper.h"

#include "base/clock.h"
#include "base/cond.h"
#include "base/thread.h"

enum {
    SOON_MS = 200,   /* looks that nobody waits for are so far apart, */
    SOON_TIMES = 20, /* and so many times as long as one takes: on a crowded machine it is long */
    LOOK_MS = 500,   /* then what cannot be killed is left to the next look */
};

/* With the lock held: until there is a look to make; false: it is to stop. */
static bool await_work(struct rv_sweeper *s, int64_t soon_ms) {
    while (!s->stopping) {
        int64_t left_ms = soon_ms - rv_clock_boot_ms(&rv_clock_real);
        if (s->asked > s->done && (s->hurry || left_ms <= 0)) return true;
        rv_cond_wait(&s->cond, &s->lock, s->asked > s->done ? left_ms : -1);
    }
    return false;
}

/* With the lock held, and released during the look. */
static void sweep(struct rv_sweeper *s) {
    uint64_t asked = s->asked;
    s->hurry = false;
    (void)pthread_mutex_unlock(&s->lock);
    bool clean = rv_strays_end(&s->strays, LOOK_MS);
    (void)pthread_mutex_lock(&s->lock);
    s->done = asked;
    if (!clean) s->asked++; /* again, though nobody asks */
    (void)pthread_cond_broadcast(&s->cond);
}

static void *run(void *arg) {
    struct rv_sweeper *s = arg;
    int64_t soon_ms = 0;
    (void)pthread_mutex_lock(&s->lock);
    while (await_work(s, soon_ms)) {
        int64_t from_ms = rv_clock_boot_ms(&rv_clock_real);
        sweep(s);
        int64_t now_ms = rv_clock_boot_ms(&rv_clock_real), took_ms = now_ms - from_ms;
        soon_ms = now_ms + (took_ms * SOON_TIMES > SOON_MS ? took_ms * SOON_TIMES : SOON_MS);
    }
    if (s->asked) sweep(s); /* unless no program ever ran */
    (void)pthread_mutex_unlock(&s->lock);
    return NULL;
}

static void release(struct rv_sweeper *s) {
    (void)pthread_cond_destroy(&s->cond);
    (void)pthread_mutex_destroy(&s->lock);
}

int rv_sweeper_start(struct rv_sweeper *s, const struct rv_strays *strays, struct rv_error *err) {
    *s = (struct rv_sweeper){.strays = *strays};
    if (pthread_mutex_init(&s->lock, NULL)) goto no_memory;
    if (rv_cond_init(&s->cond)) {
        (void)pthread_mutex_destroy(&s->lock);
        goto no_memory;
    }
    if (!rv_thread_start(&s->thread, run, s)) return 0;
    release(s);
no_memory:
    return rv_fail(err, REEVE_ENOMEM, "cannot start the thread that clears up after programs");
}

void rv_sweeper_stop(struct rv_sweeper *s) {
    (void)pthread_mutex_lock(&s->lock);
    s->stopping = true;
    (void)pthread_cond_broadcast(&s->cond);
    (void)pthread_mutex_unlock(&s->lock);
    (void)pthread_join(s->thread, NULL);
    release(s);
}

void rv_sweeper_ask(struct rv_sweeper *s, bool wait) {
    (void)pthread_mutex_lock(&s->lock);
    uint64_t number = ++s->asked;
    s->hurry = s->hurry || wait;
    if (wait || number == s->done + 1) (void)pthread_cond_broadcast(&s->cond);
    while (wait && s->done < number)
        rv_cond_wait(&s->cond, &s->lock, -1);
    (void)pthread_mutex_unlock(&s->lock);
}
