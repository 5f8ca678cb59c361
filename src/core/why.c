#include "core/why.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define TIME_SIZE 32

static const char *shown_time(char out[TIME_SIZE], int64_t at_ms) {
    time_t seconds = (time_t)(at_ms / 1000);
    struct tm parts;
    if (!gmtime_r(&seconds, &parts) || !strftime(out, TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &parts))
        (void)snprintf(out, TIME_SIZE, "%" PRId64 " ms", at_ms);
    return out;
}

bool rv_words_hold(const char *words, const char *word) {
    size_t size = strlen(word);
    while (*words) {
        size_t length = strcspn(words, " ");
        if (length == 1 && *words == '*') return true;
        if (length == size && !memcmp(words, word, size)) return true;
        words += length + (words[length] == ' ');
    }
    return false;
}

/* ": the error's first line", cut short, or nothing. */
static void add_error(char out[RV_WHY_SIZE], const struct reeve_failure *error) {
    if (!error || !*error->message) return;
    size_t used = strlen(out);
    size_t line = strcspn(error->message, "\r\n");
    if (line > 200) line = 200;
    (void)snprintf(out + used, RV_WHY_SIZE - used, ": %.*s", (int)line, error->message);
}

static void tell_ended(const struct reeve_job *job, char out[RV_WHY_SIZE]) {
    char at[TIME_SIZE];
    (void)shown_time(at, job->ended_at_ms);
    if (job->state == REEVE_CANCELLED) {
        (void)snprintf(out, RV_WHY_SIZE, "it was cancelled at %s", at);
    } else if (job->state == REEVE_DONE) {
        (void)snprintf(out, RV_WHY_SIZE, "it is finished: done at %s in attempt %d", at,
                       job->attempt);
    } else {
        (void)snprintf(out, RV_WHY_SIZE, "it is finished: failed at %s after %d of %d attempts", at,
                       job->attempt, job->attempts_max);
        add_error(out, job->error);
    }
}

static void tell_running(const struct reeve_job *job, char out[RV_WHY_SIZE]) {
    char at[TIME_SIZE];
    (void)snprintf(out, RV_WHY_SIZE, "it is running since %s on %s, attempt %d of %d%s",
                   shown_time(at, job->started_at_ms),
                   job->worker ? job->worker : "an unnamed worker", job->attempt, job->attempts_max,
                   job->cancelling ? ", and was told to stop" : "");
}

static void tell_delayed(const struct reeve_job *job, char out[RV_WHY_SIZE]) {
    char at[TIME_SIZE];
    (void)shown_time(at, job->run_at_ms);
    if (!job->attempt) {
        (void)snprintf(out, RV_WHY_SIZE, "it is delayed until %s", at);
        return;
    }
    (void)snprintf(out, RV_WHY_SIZE, "it is in backoff until %s, attempt %d of %d having failed",
                   at, job->attempt, job->attempts_max);
    add_error(out, job->error);
}

static void tell_ready(const struct rv_why *why, char out[RV_WHY_SIZE]) {
    const struct reeve_job *job = why->job;
    if (!why->serving)
        (void)snprintf(out, RV_WHY_SIZE, "it is ready, but no worker serves queue %s", job->queue);
    else if (!why->knowing)
        (void)snprintf(
            out, RV_WHY_SIZE,
            "it is ready, but none of the %zu workers of queue %s has a handler for kind %s",
            why->serving, job->queue, job->kind);
    else
        (void)snprintf(
            out, RV_WHY_SIZE,
            "it is ready and waits behind others: %" PRIu64 " jobs are ready in queue %s, and "
            "%" PRIu64 " of %" PRIu64 " threads of its workers were busy when last heard of",
            why->ready, job->queue, why->busy, why->threads);
}

void rv_why_tell(const struct rv_why *why, char out[RV_WHY_SIZE]) {
    const struct reeve_job *job = why->job;
    switch (job->state) {
    case REEVE_DONE:
    case REEVE_FAILED:
    case REEVE_CANCELLED:
        tell_ended(job, out);
        return;
    case REEVE_RUNNING:
        tell_running(job, out);
        return;
    case REEVE_DELAYED:
    case REEVE_READY:
        break;
    }
    if (why->paused)
        (void)snprintf(out, RV_WHY_SIZE, "queue %s is paused", job->queue);
    else if (job->state == REEVE_DELAYED)
        tell_delayed(job, out);
    else
        tell_ready(why, out);
}
