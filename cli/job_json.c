#include "job.h"

#include "json.h"

/* Sets a field and takes value over. A value that is NULL, for want of memory, makes all fail. */
static void put(json_t **object, const char *name, json_t *value) {
    if (*object && !json_object_set_new(*object, name, value)) return;
    if (!*object) json_decref(value);
    json_decref(*object);
    *object = NULL;
}

static json_t *error_json(const struct reeve_failure *error) {
    if (!error) return json_null();
    json_t *out = json_object();
    put(&out, "message", json_text(error->message));
    put(&out, "code", json_text(error->code));
    put(&out, "detail",
        error->detail_size ? json_bytes(error->detail, error->detail_size) : json_null());
    return out;
}

static json_t *attempt_json(const struct reeve_attempt *attempt) {
    json_t *out = json_object();
    put(&out, "attempt", json_integer(attempt->attempt));
    put(&out, "worker", json_text(attempt->worker));
    put(&out, "token", json_integer((json_int_t)attempt->token));
    put(&out, "started_at_ms", json_ms(attempt->started_at_ms));
    put(&out, "ended_at_ms", json_ms(attempt->ended_at_ms));
    put(&out, "outcome", json_text(reeve_attempt_outcome_name(attempt->outcome)));
    put(&out, "error", error_json(attempt->error));
    return out;
}

static json_t *history_json(const struct reeve_job *job) {
    json_t *history = json_array();
    for (size_t i = 0; history && i < job->history_count; i++) {
        if (!json_array_append_new(history, attempt_json(job->history[i]))) continue;
        json_decref(history);
        return NULL;
    }
    return history;
}

static json_t *log_json(const struct reeve_job *job) {
    json_t *log = json_array();
    for (size_t i = 0; log && i < job->log_count; i++) {
        if (!json_array_append_new(log, json_text(job->log[i]))) continue;
        json_decref(log);
        return NULL;
    }
    return log;
}

json_t *job_json(const struct reeve_job *job) {
    json_t *out = json_object();
    put(&out, "queue", json_text(job->queue));
    put(&out, "id", json_text(job->id));
    put(&out, "kind", json_text(job->kind));
    put(&out, "state", json_text(reeve_state_name(job->state)));
    put(&out, "priority", json_integer(job->priority));
    put(&out, "attempt", json_integer(job->attempt));
    put(&out, "attempts_max", json_integer(job->attempts_max));
    put(&out, "token", json_integer((json_int_t)job->token));
    put(&out, "worker", json_text(job->worker));
    put(&out, "created_at_ms", json_ms(job->created_at_ms));
    put(&out, "run_at_ms", json_ms(job->run_at_ms));
    put(&out, "started_at_ms", json_ms(job->started_at_ms));
    put(&out, "ended_at_ms", json_ms(job->ended_at_ms));
    put(&out, "lease_until_ms", json_ms(job->lease_until_ms));
    put(&out, "body", json_bytes(job->body, job->body_size));
    put(&out, "result", job->result ? json_bytes(job->result, job->result_size) : json_null());
    put(&out, "error", error_json(job->error));
    put(&out, "history", history_json(job));
    put(&out, "progress", job->progress < 0 ? json_null() : json_integer(job->progress));
    put(&out, "log", log_json(job));
    return out;
}
