#include "own.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "charge.h"
#include "exit.h"

enum {
    EXIT_NOT_FOUND = 127,
    EXIT_YIELD = 75,
    REASON_SIZE = 32,
    VARIABLE_SIZE = REEVE_ID_SIZE + 32,
};

struct own_run {
    struct own_run *next;
    struct own *own;
    reeve_program *program;
    char name[REEVE_ID_SIZE];
    /* Guarded by own->lock. */
    bool over; /* the program has ended, with status */
    bool lost; /* the stream is not ours to settle any more */
    bool told; /* to stop, by us: however it ends, the stream is yielded */
    int pins;  /* who waits for it */
    int status;
};

void own_init(struct own *own) {
    own->tells = pthread_self();
    (void)pthread_mutex_init(&own->lock, NULL);
    (void)pthread_cond_init(&own->cond, NULL);
}

void own_release(struct own *own) {
    (void)pthread_cond_destroy(&own->cond);
    (void)pthread_mutex_destroy(&own->lock);
}

static void tell(struct own *own) {
    (void)pthread_kill(own->tells, SIGUSR1);
}

static void break_off(struct own *own, int exit_code) {
    int none = 0;
    (void)atomic_compare_exchange_strong(&own->broken, &none, exit_code);
    tell(own);
}

/* ---- programs ---- */
static void note_end(void *arg, int status) {
    struct own_run *run = arg;
    struct own *own = run->own;
    (void)pthread_mutex_lock(&own->lock);
    run->over = true;
    run->status = status;
    (void)pthread_cond_broadcast(&own->cond);
    (void)pthread_mutex_unlock(&own->lock);
    tell(own);
}

static int start(struct own_run *run, const struct reeve_stream *stream) {
    char name[VARIABLE_SIZE], group[VARIABLE_SIZE], token[VARIABLE_SIZE], retries[VARIABLE_SIZE];
    const char *const variables[] = {name, group, token, retries, NULL};
    struct reeve_program_options options = {.size = sizeof options,
                                            .argv = (const char *const *)run->own->argv,
                                            .variables = variables,
                                            .ended = note_end,
                                            .arg = run,
                                            .input = stream->info,
                                            .input_size = stream->info_size};
    (void)snprintf(name, sizeof name, "REEVE_STREAM=%s", stream->name);
    (void)snprintf(group, sizeof group, "REEVE_GROUP=%s", stream->group);
    (void)snprintf(token, sizeof token, "REEVE_TOKEN=%" PRIu64, stream->token);
    (void)snprintf(retries, sizeof retries, "REEVE_RETRIES=%" PRIu64, stream->retries);
    return reeve_program_start(&run->program, run->own->r, &options);
}

static void list(struct own *own, struct own_run *run) {
    run->next = own->runs;
    own->runs = run;
}

static void unlist(struct own *own, const struct own_run *run) {
    struct own_run **at = &own->runs;
    while (*at != run)
        at = &(*at)->next;
    *at = run->next;
}

/* The run is listed with its program, so that nobody finds one without. */
void own_owned(void *arg, const struct reeve_stream *stream) {
    struct own *own = arg;
    struct own_run *run = calloc(1, sizeof *run);
    if (!run) {
        break_off(own, fail(EXIT_BROKEN, "out of memory"));
        return;
    }
    run->own = own;
    (void)snprintf(run->name, sizeof run->name, "%s", stream->name);
    (void)pthread_mutex_lock(&own->lock);
    bool late = atomic_load(&own->stopping); /* closing yields it */
    int rc = late ? 0 : start(run, stream);
    if (!late && !rc) list(own, run);
    (void)pthread_mutex_unlock(&own->lock);
    if (late || rc) free(run);
    if (!rc) return;
    int exit_code = rc == REEVE_ENOENT ? EXIT_NOT_FOUND : exit_code_of(rc);
    break_off(own, fail(exit_code, "%s", reeve_errmsg()));
}

/* ---- losing ---- */

/* Between TERM and KILL: as long as it likes while the lease is renewed, but all is over before it
 * can lapse. Once it has, whatever the program does does harm. */
static int64_t grace_of(const struct own *own, enum reeve_lost why) {
    if (why == REEVE_LOST_RESIGNED) return CHARGE_GRACE_MS;
    return why == REEVE_LOST_EXPIRED ? own->lease_ms / 20 : 0;
}

void own_lost(void *arg, const struct reeve_stream *stream, enum reeve_lost why) {
    struct own *own = arg;
    (void)pthread_mutex_lock(&own->lock);
    struct own_run *run = own->runs;
    while (run && (run->lost || strcmp(run->name, stream->name) != 0))
        run = run->next;
    if (run) {
        run->lost = true;
        run->pins++;
        if (!run->over) reeve_program_stop(run->program, grace_of(own, why));
        while (!run->over)
            (void)pthread_cond_wait(&own->cond, &own->lock);
        run->pins--;
    }
    (void)pthread_mutex_unlock(&own->lock);
    tell(own);
}

void own_ended(void *arg, int error, const char *text) {
    struct own *own = arg;
    if (error) break_off(own, fail(exit_code_of(error), "%s: %s", own->group, text));
}

/* ---- settling ---- */
static int settle(struct own *own, const struct own_run *run) {
    char reason[REASON_SIZE];
    if (run->lost) return 0;
    int code = WIFEXITED(run->status) ? WEXITSTATUS(run->status) : -1;
    if (run->told || code == EXIT_YIELD) return reeve_member_yield(own->member, run->name);
    if (code == 0) return reeve_member_end(own->member, run->name);
    (void)snprintf(reason, sizeof reason, code > 0 ? "exit:%d" : "signal:%d",
                   code > 0 ? code : WTERMSIG(run->status));
    return reeve_member_fail(own->member, run->name, reason);
}

/* One that is over, taken out of the list, or NULL. */
static struct own_run *take_over(struct own *own, bool *left) {
    (void)pthread_mutex_lock(&own->lock);
    struct own_run *run = own->runs;
    while (run && !(run->over && !run->pins))
        run = run->next;
    if (run) unlist(own, run);
    *left = own->runs != NULL;
    (void)pthread_mutex_unlock(&own->lock);
    return run;
}

/* A store that is away: the stream is kept, and settled later. */
static void put_off(struct own *own, struct own_run *run) {
    (void)pthread_mutex_lock(&own->lock);
    list(own, run);
    (void)pthread_mutex_unlock(&own->lock);
}

bool own_settle(struct own *own) {
    bool left;
    for (struct own_run *run; (run = take_over(own, &left));) {
        reeve_program_close(run->program);
        run->program = NULL;
        int rc = settle(own, run);
        if (rc && reeve_retriable(rc)) {
            if (!atomic_load(&own->stopping)) (void)fail_api(rc);
            put_off(own, run);
            return true;
        }
        free(run);
    }
    return left;
}

void own_stop_all(struct own *own, int64_t grace_ms) {
    atomic_store(&own->stopping, true);
    reeve_member_drain(own->member); /* what it yields is for others */
    (void)pthread_mutex_lock(&own->lock);
    for (struct own_run *run = own->runs; run; run = run->next) {
        run->told = true;
        if (!run->over) reeve_program_stop(run->program, grace_ms);
    }
    (void)pthread_mutex_unlock(&own->lock);
}

void own_forget(struct own *own) {
    bool left;
    for (struct own_run *run; (run = take_over(own, &left));) {
        reeve_program_close(run->program);
        free(run);
    }
}
