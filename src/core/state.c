#include "core/state.h"

#include <stddef.h>
#include <string.h>

bool rv_state_ended(enum reeve_state state) {
    return state == REEVE_DONE || state == REEVE_FAILED || state == REEVE_CANCELLED;
}

bool rv_state_waiting(enum reeve_state state) {
    return state == REEVE_DELAYED || state == REEVE_READY;
}

bool rv_state_may(enum reeve_state from, enum reeve_state to) {
    switch (from) {
    case REEVE_DELAYED:
        return to == REEVE_READY || to == REEVE_CANCELLED;
    case REEVE_READY:
        return to == REEVE_RUNNING || to == REEVE_CANCELLED;
    case REEVE_RUNNING:
        return rv_state_ended(to) || rv_state_waiting(to);
    case REEVE_FAILED:
    case REEVE_CANCELLED:
        return to == REEVE_READY;
    case REEVE_DONE:
        return false;
    }
    return false;
}

static const char *const names[] = {
    [REEVE_DELAYED] = "delayed", [REEVE_READY] = "ready",   [REEVE_RUNNING] = "running",
    [REEVE_DONE] = "done",       [REEVE_FAILED] = "failed", [REEVE_CANCELLED] = "cancelled",
};

const char *reeve_state_name(enum reeve_state state) {
    return state >= REEVE_DELAYED && state <= REEVE_CANCELLED ? names[state] : "unknown";
}

int reeve_state_parse(const char *name, enum reeve_state *out) {
    for (enum reeve_state state = REEVE_DELAYED; name && state <= REEVE_CANCELLED; state++) {
        if (strcmp(names[state], name) != 0) continue;
        *out = state;
        return 0;
    }
    return REEVE_EINVAL;
}

const char *reeve_attempt_outcome_name(enum reeve_attempt_outcome outcome) {
    switch (outcome) {
    case REEVE_ATTEMPT_RUNNING:
        return NULL;
    case REEVE_ATTEMPT_DONE:
        return "done";
    case REEVE_ATTEMPT_RETRY:
        return "retry";
    case REEVE_ATTEMPT_FAILED:
        return "failed";
    case REEVE_ATTEMPT_LAPSED:
        return "lapsed";
    case REEVE_ATTEMPT_HANDED_BACK:
        return "handed_back";
    case REEVE_ATTEMPT_CANCELLED:
        return "cancelled";
    }
    return NULL;
}

const char *reeve_event_name(enum reeve_event_type type) {
    switch (type) {
    case REEVE_JOB_PUSHED:
        return "pushed";
    case REEVE_JOB_CLAIMED:
        return "claimed";
    case REEVE_JOB_RETRIED:
        return "retried";
    case REEVE_JOB_HANDED_BACK:
        return "handed_back";
    case REEVE_JOB_LAPSED:
        return "lapsed";
    case REEVE_JOB_ENDED:
        return "ended";
    case REEVE_WORKER_STARTED:
        return "started";
    case REEVE_WORKER_STOPPED:
        return "stopped";
    case REEVE_LEADER_GAINED:
        return "gained";
    case REEVE_LEADER_LOST:
        return "lost";
    case REEVE_STORE_FAILOVER:
        return "failover";
    }
    return "unknown";
}

const char *reeve_stream_state_name(enum reeve_stream_state state) {
    switch (state) {
    case REEVE_STREAM_WAITING:
        return "waiting";
    case REEVE_STREAM_OWNED:
        return "owned";
    }
    return "?";
}

const char *reeve_lost_name(enum reeve_lost why) {
    switch (why) {
    case REEVE_LOST_FENCED:
        return "fenced";
    case REEVE_LOST_EXPIRED:
        return "expired";
    case REEVE_LOST_RESIGNED:
        return "resigned";
    case REEVE_LOST_CLOSED:
        return "closed";
    }
    return "unknown";
}

const char *reeve_push_status_name(enum reeve_push_status status) {
    static const char *const statuses[] = {[REEVE_QUEUED] = "queued",
                                           [REEVE_DUPLICATE] = "duplicate",
                                           [REEVE_DUPLICATE_DONE] = "done",
                                           [REEVE_SPOOLED] = "spooled"};
    return status >= REEVE_QUEUED && status <= REEVE_SPOOLED ? statuses[status] : "refused";
}
