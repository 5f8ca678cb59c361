/* Members of a group for tools/measure-streams, which says what is measured.
 *     streams URL offer GROUP COUNT         offers so many streams
 *     streams URL own GROUP COUNT LEASE_MS  owns so many, says "all" when it does; until its stdin
 *                                           ends
 *     streams URL latency GROUP ROUNDS      offers one at a time to a member that waits, and tells
 *                                           the us until that has it */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <reeve.h>

enum { NAME_SIZE = 32 };

struct owner {
    reeve_member *member;
    pthread_mutex_t lock; /* guards owned */
    pthread_cond_t changed;
    long owned, wanted;
};

static void check(int rc, const char *what) {
    if (!rc) return;
    (void)fprintf(stderr, "streams: %s: %s\n", what, reeve_errmsg());
    exit(1);
}

static long now_us(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void offer(reeve *r, const char *group, long number) {
    char name[NAME_SIZE];
    (void)snprintf(name, sizeof name, "stream-%ld", number);
    const struct reeve_offer offer = {.size = sizeof offer, .group = group, .name = name};
    check(reeve_stream_offer(r, &offer, NULL), "offer");
}

/* ---- owning ---- */
static void note(void *arg, const struct reeve_stream *stream) {
    struct owner *owner = arg;
    (void)stream;
    (void)pthread_mutex_lock(&owner->lock);
    if (++owner->owned == owner->wanted) {
        (void)puts("all");
        (void)fflush(stdout);
    }
    (void)pthread_cond_signal(&owner->changed);
    (void)pthread_mutex_unlock(&owner->lock);
}

static void join(struct owner *owner, reeve *r, const char *group, long wanted, long lease_ms) {
    const struct reeve_member_options options = {.size = sizeof options,
                                                 .max = wanted,
                                                 .lease_ms = lease_ms,
                                                 .max_retries = REEVE_NONE,
                                                 .owned = note,
                                                 .arg = owner};
    *owner = (struct owner){.wanted = wanted};
    (void)pthread_mutex_init(&owner->lock, NULL);
    (void)pthread_cond_init(&owner->changed, NULL);
    check(reeve_member_open(&owner->member, r, group, &options), "join");
}

static void own(reeve *r, const char *group, long wanted, long lease_ms) {
    struct owner owner;
    char byte;
    join(&owner, r, group, wanted, lease_ms);
    while (read(STDIN_FILENO, &byte, 1) > 0)
        continue;
    reeve_member_close(owner.member);
}

/* ---- latency ---- */
static void wait_for(struct owner *owner, long count) {
    (void)pthread_mutex_lock(&owner->lock);
    while (owner->owned < count)
        (void)pthread_cond_wait(&owner->changed, &owner->lock);
    (void)pthread_mutex_unlock(&owner->lock);
}

static void measure_latency(reeve *r, const char *url, const char *group, long rounds) {
    const struct timespec pause = {.tv_nsec = 20 * 1000000L}; /* it waits again by then */
    struct owner owner;
    reeve *other;
    check(reeve_open(&other, url, NULL), "open");
    join(&owner, r, group, rounds + 1, 30000);
    for (long i = 0; i < rounds; i++) {
        (void)nanosleep(&pause, NULL);
        long begun = now_us();
        offer(other, group, i);
        wait_for(&owner, i + 1);
        (void)printf("%ld\n", now_us() - begun);
    }
    reeve_member_close(owner.member);
    reeve_close(other);
}

int main(int argc, char **argv) {
    reeve *r;
    if (argc < 5) return 2;
    const char *url = argv[1], *verb = argv[2], *group = argv[3];
    long count = strtol(argv[4], NULL, 10);
    check(reeve_open(&r, url, NULL), "open");
    if (strcmp(verb, "offer") == 0)
        for (long i = 0; i < count; i++)
            offer(r, group, i);
    else if (strcmp(verb, "own") == 0 && argc > 5)
        own(r, group, count, strtol(argv[5], NULL, 10));
    else if (strcmp(verb, "latency") == 0)
        measure_latency(r, url, group, count);
    reeve_close(r);
    return 0;
}
