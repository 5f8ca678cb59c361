#include "core/check.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "core/limits.h"

#define SHOWN 64 /* of a bad value in an error text */

/* The end of the last field that version 0.1 of the header had: what every caller must provide. */
#define SIZE_UP_TO(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

/* text with control bytes made visible, for messages. */
static const char *shown(char out[SHOWN + 4], const char *text) {
    size_t i = 0;
    for (; text[i] && i < SHOWN; i++) {
        unsigned char c = (unsigned char)text[i];
        out[i] = c < 0x20 || c == 0x7f ? '?' : (char)c;
    }
    memcpy(out + i, text[i] ? "..." : "", text[i] ? 4 : 1);
    return out;
}

static bool name_byte(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-' || c == ':';
}

int rv_check_name(const char *what, const char *name, struct rv_error *err) {
    char text[SHOWN + 4];
    if (!name || !*name) return rv_fail(err, REEVE_EINVAL, "%s name is empty", what);
    size_t size = strlen(name);
    if (size > RV_NAME_MAX) {
        return rv_fail(err, REEVE_EINVAL, "%s name '%s' is %zu bytes long: at most %d are allowed",
                       what, shown(text, name), size, RV_NAME_MAX);
    }
    for (size_t i = 0; i < size; i++) {
        if (!name_byte(name[i])) {
            return rv_fail(err, REEVE_EINVAL,
                           "%s name '%s' has a byte that is not allowed at position %zu: expected "
                           "A-Z a-z 0-9 . _ - :",
                           what, shown(text, name), i + 1);
        }
    }
    return 0;
}

/* 1..255 bytes of text without control bytes; what says which, for the message. */
static int check_text(const char *what, const char *value, struct rv_error *err) {
    char text[SHOWN + 4];
    if (!value || !*value) return rv_fail(err, REEVE_EINVAL, "%s is empty", what);
    size_t size = strlen(value);
    if (size > RV_ID_MAX) {
        return rv_fail(err, REEVE_EINVAL, "%s '%s' is %zu bytes long: at most %d are allowed", what,
                       shown(text, value), size, RV_ID_MAX);
    }
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)value[i];
        if (c < 0x20 || c == 0x7f) {
            return rv_fail(err, REEVE_EINVAL, "%s '%s' has a control byte (0x%02x) at position %zu",
                           what, shown(text, value), c, i + 1);
        }
    }
    return 0;
}

int rv_check_id(const char *id, struct rv_error *err) {
    return check_text("id", id, err);
}

int rv_check_stream(const char *name, struct rv_error *err) {
    return check_text("stream", name, err);
}

int rv_check_cursor(const char *cursor, size_t room, struct rv_error *err) {
    char text[SHOWN + 4];
    size_t size =
        strspn(cursor, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
    if (size > 0 && size < room && !cursor[size]) return 0;
    return rv_fail(err, REEVE_EINVAL, "'%s' is not a cursor of a list", shown(text, cursor));
}

int rv_check_stream_info(size_t size, struct rv_error *err) {
    if (size <= RV_STREAM_INFO_MAX) return 0;
    return rv_fail(err, REEVE_ETOOBIG, "info of a stream is %zu bytes long: at most %d are allowed",
                   size, RV_STREAM_INFO_MAX);
}

int rv_check_size(const char *what, size_t size, size_t least, struct rv_error *err) {
    if (size >= least) return 0;
    return rv_fail(err, REEVE_EINVAL,
                   "%s: its size is %zu, expected at least %zu: initialise it with "
                   "{.size = sizeof(struct %s)}",
                   what, size, least, what);
}

/* Copies as much of a caller's struct as this version knows. A newer caller's extra fields must be
 * unset: what cannot be honoured is refused, not ignored. */
static int adopt(const char *what, void *out, size_t known, size_t least, const void *from,
                 struct rv_error *err) {
    size_t size;
    memcpy(&size, from, sizeof size);
    int rc = rv_check_size(what, size, least, err);
    if (rc) return rc;
    memset(out, 0, known);
    memcpy(out, from, size < known ? size : known);
    for (size_t i = known; i < size; i++) {
        if (((const unsigned char *)from)[i]) {
            return rv_fail(err, REEVE_ENOTSUP,
                           "%s sets a field that this version (%s) of the library does not know",
                           what, REEVE_VERSION);
        }
    }
    return 0;
}

static int check_range(const char *what, int64_t value, int64_t least, int64_t most,
                       struct rv_error *err) {
    if (value >= least && value <= most) return 0;
    return rv_fail(err, REEVE_EINVAL, "%s is %" PRId64 ": expected %" PRId64 " to %" PRId64, what,
                   value, least, most);
}

/* A time where 0 stands for the default and REEVE_NONE for none; none becomes 0. */
static int choose_ms(const char *what, int64_t *value, int64_t fallback, int64_t most,
                     struct rv_error *err) {
    if (*value == REEVE_NONE)
        *value = 0;
    else if (*value == 0)
        *value = fallback;
    return check_range(what, *value, 0, most, err);
}

int rv_check_keep(int64_t keep_ms, int64_t *out, struct rv_error *err) {
    *out = keep_ms;
    return choose_ms("keep_ms", out, RV_KEEP_MS_DEFAULT, RV_KEEP_MS_MAX, err);
}

static int check_backoff(const struct reeve_push *push, struct rv_policy *policy,
                         struct rv_error *err) {
    if (push->backoff != REEVE_EXPONENTIAL && push->backoff != REEVE_LINEAR &&
        push->backoff != REEVE_FIXED) {
        return rv_fail(err, REEVE_EINVAL, "backoff is %d: expected exponential, linear or fixed",
                       (int)push->backoff);
    }
    policy->backoff = push->backoff;
    policy->backoff_ms = push->backoff_ms;
    policy->backoff_ms_max = push->backoff_ms_max;
    int rc =
        choose_ms("backoff_ms", &policy->backoff_ms, RV_BACKOFF_MS_DEFAULT, RV_DELAY_MS_MAX, err);
    if (!rc)
        rc = choose_ms("backoff_ms_max", &policy->backoff_ms_max, RV_BACKOFF_MS_MAX_DEFAULT,
                       RV_DELAY_MS_MAX, err);
    if (rc) return rc;
    bool both = push->backoff_ms > 0 && push->backoff_ms_max > 0;
    if (both && policy->backoff_ms > policy->backoff_ms_max) {
        return rv_fail(err, REEVE_EINVAL,
                       "backoff_ms is %" PRId64 " but backoff_ms_max only %" PRId64,
                       policy->backoff_ms, policy->backoff_ms_max);
    }
    if (policy->backoff_ms > policy->backoff_ms_max) policy->backoff_ms_max = policy->backoff_ms;
    return 0;
}

static int check_policy(const struct reeve_push *push, struct rv_policy *policy,
                        struct rv_error *err) {
    policy->attempts_max = push->attempts_max ? push->attempts_max : RV_ATTEMPTS_DEFAULT;
    policy->timeout_ms = push->timeout_ms;
    int rc = check_range("attempts_max", policy->attempts_max, 1, RV_ATTEMPTS_MAX, err);
    if (!rc) rc = check_backoff(push, policy, err);
    if (!rc) rc = choose_ms("timeout_ms", &policy->timeout_ms, 0, RV_TIMEOUT_MS_MAX, err);
    return rc ? rc : rv_check_keep(push->keep_ms, &policy->keep_ms, err);
}

static int check_start(const struct reeve_push *push, struct rv_error *err) {
    int rc = check_range("delay_ms", push->delay_ms, 0, RV_DELAY_MS_MAX, err);
    if (!rc) rc = check_range("run_at_ms", push->run_at_ms, 0, RV_RUN_AT_MS_MAX, err);
    if (!rc && push->delay_ms && push->run_at_ms) {
        rc = rv_fail(err, REEVE_EINVAL,
                     "delay_ms is %" PRId64 " and run_at_ms %" PRId64 ": expected one of them",
                     push->delay_ms, push->run_at_ms);
    }
    return rc;
}

static int check_body(const struct reeve_push *push, struct rv_error *err) {
    if (push->body_size > RV_BODY_MAX) {
        return rv_fail(err, REEVE_ETOOBIG, "body is %zu bytes: at most %d are allowed",
                       push->body_size, RV_BODY_MAX);
    }
    if (push->body_size && !push->body) {
        return rv_fail(err, REEVE_EINVAL, "body is NULL but body_size is %zu", push->body_size);
    }
    return 0;
}

int rv_check_push(const struct reeve_push *push, struct rv_new_job *out, struct rv_error *err) {
    struct reeve_push known;
    int rc = adopt("reeve_push", &known, sizeof known, SIZE_UP_TO(struct reeve_push, keep_ms), push,
                   err);
    if (rc) return rc;
    *out = (struct rv_new_job){
        .queue = known.queue ? known.queue : "default",
        .kind = known.kind ? known.kind : "default",
        .id = known.id,
        .body = {.data = known.body, .size = known.body_size},
        .priority = known.priority,
        .delay_ms = known.delay_ms,
        .run_at_ms = known.run_at_ms,
        .nonce = known.request,
    };
    rc = rv_check_name("queue", out->queue, err);
    if (!rc) rc = rv_check_name("kind", out->kind, err);
    if (!rc && out->id) rc = rv_check_id(out->id, err);
    if (!rc) rc = check_body(&known, err);
    if (!rc)
        rc = check_range("priority", out->priority, REEVE_PRIORITY_MIN, REEVE_PRIORITY_MAX, err);
    if (!rc) rc = check_start(&known, err);
    return rc ? rc : check_policy(&known, &out->policy, err);
}

static int check_codec(const struct reeve_codec *codec, struct rv_error *err) {
    if (!codec) return 0;
    int rc = rv_check_size("reeve_codec", codec->size, SIZE_UP_TO(struct reeve_codec, arg), err);
    if (rc || (codec->encode && codec->decode)) return rc;
    return rv_fail(err, REEVE_EINVAL, "codec has no %s: expected both encode and decode",
                   codec->encode ? "decode" : "encode");
}

int rv_check_options(const struct reeve_options *options, struct reeve_options *out,
                     struct rv_error *err) {
    struct reeve_options none = {.size = sizeof none};
    int rc = adopt("reeve_options", out, sizeof *out, SIZE_UP_TO(struct reeve_options, log_level),
                   options ? options : &none, err);
    if (rc) return rc;
    if (!out->space) out->space = "reeve";
    if (!out->timeout_ms) out->timeout_ms = RV_CALL_MS_DEFAULT;
    if (!out->log_level) out->log_level = REEVE_LOG_WARN;
    rc = rv_check_name("space", out->space, err);
    if (!rc && out->name) rc = rv_check_id(out->name, err);
    if (!rc) rc = check_range("timeout_ms", out->timeout_ms, 1, RV_TIMEOUT_MS_MAX, err);
    if (!rc) rc = check_codec(out->codec, err);
    if (!out->spool_max) out->spool_max = RV_SPOOL_MAX_DEFAULT;
    if (!rc) rc = check_range("spool_max", out->spool_max, 1, RV_QUEUE_LENGTH_MAX, err);
    return rc ? rc
              : check_range("log_level", out->log_level, REEVE_LOG_ERROR, REEVE_LOG_DEBUG, err);
}

int rv_check_lease(int64_t lease_ms, struct rv_error *err) {
    return check_range("lease_ms", lease_ms, RV_LEASE_MS_MIN, RV_LEASE_MS_MAX, err);
}

/* 1..most of them, each once. */
static int check_names(const char *what, const char *const *names, size_t most,
                       struct rv_error *err) {
    size_t count = 0;
    for (; names[count]; count++) {
        int rc = rv_check_name(what, names[count], err);
        if (rc) return rc;
        if (count >= most)
            return rv_fail(err, REEVE_EINVAL, "more than %zu %ss at once", most, what);
        for (size_t i = 0; i < count; i++) {
            if (!strcmp(names[i], names[count]))
                return rv_fail(err, REEVE_EINVAL, "%s '%s' is named twice", what, names[count]);
        }
    }
    return count ? 0 : rv_fail(err, REEVE_EINVAL, "no %s is named", what);
}

static int check_queues(const char *const *queues, struct rv_error *err) {
    return check_names("queue", queues, RV_QUEUES_MAX, err);
}

int rv_check_lock_names(const char *const *names, struct rv_error *err) {
    if (!names) return rv_fail(err, REEVE_EINVAL, "no lock is named");
    return check_names("lock", names, RV_LOCKS_MAX, err);
}

/* Only what the user set can be at odds: the defaults follow from the lease. */
static int choose_lease(int64_t *lease_ms, int64_t *renew_ms, struct rv_error *err) {
    if (!*lease_ms) *lease_ms = RV_LEASE_MS_DEFAULT;
    int rc = rv_check_lease(*lease_ms, err);
    if (rc) return rc;
    if (*renew_ms < 0 || *renew_ms > *lease_ms / 2) {
        return rv_fail(err, REEVE_EINVAL,
                       "renew_ms is %" PRId64 " with lease_ms %" PRId64
                       ": expected at most half the lease, so that one renewal may fail",
                       *renew_ms, *lease_ms);
    }
    if (!*renew_ms) *renew_ms = *lease_ms / 3;
    return 0;
}

int rv_check_leader_options(const struct reeve_leader_options *options,
                            struct reeve_leader_options *out, struct rv_error *err) {
    struct reeve_leader_options none = {.size = sizeof none};
    int rc = adopt("reeve_leader_options", out, sizeof *out,
                   SIZE_UP_TO(struct reeve_leader_options, arg), options ? options : &none, err);
    if (!rc) rc = choose_lease(&out->lease_ms, &out->renew_ms, err);
    if (rc) return rc;
    if (out->retry_ms < 0 || out->retry_ms > RV_LEASE_MS_MAX) {
        return rv_fail(err, REEVE_EINVAL,
                       "retry_ms is %" PRId64 " with lease_ms %" PRId64 ": expected 1 to %" PRId64
                       ", how often one that does not lead looks",
                       out->retry_ms, out->lease_ms, RV_LEASE_MS_MAX);
    }
    if (!out->retry_ms) out->retry_ms = RV_LEADER_RETRY_MS_DEFAULT;
    return 0;
}

int rv_check_lock_options(const struct reeve_lock_options *options, struct reeve_lock_options *out,
                          struct rv_error *err) {
    struct reeve_lock_options none = {.size = sizeof none};
    int rc = adopt("reeve_lock_options", out, sizeof *out,
                   SIZE_UP_TO(struct reeve_lock_options, arg), options ? options : &none, err);
    if (!rc) rc = choose_lease(&out->lease_ms, &out->renew_ms, err);
    if (!rc) rc = check_range("wait_ms", out->wait_ms, REEVE_NONE, RV_TIMEOUT_MS_MAX, err);
    if (rc) return rc;
    out->wait_ms = out->wait_ms == REEVE_NONE ? 0 : out->wait_ms ? out->wait_ms : -1;
    return 0;
}

/* 0 becomes the default, REEVE_NONE stays. */
static int choose_bound(const char *what, int64_t *value, int64_t most, int64_t by_default,
                        struct rv_error *err) {
    if (!*value) *value = by_default;
    if (*value == REEVE_NONE) return 0;
    return check_range(what, *value, 1, most, err);
}

static int check_flags(unsigned flags, struct rv_error *err) {
    const unsigned known = REEVE_COMPAT | REEVE_HINTS;
    if (!(flags & ~known)) return 0;
    return rv_fail(err, REEVE_EINVAL, "flags 0x%x: expected of REEVE_COMPAT, REEVE_HINTS", flags);
}

int rv_check_offer(const struct reeve_offer *offer, struct reeve_offer *out, struct rv_error *err) {
    int rc =
        adopt("reeve_offer", out, sizeof *out, SIZE_UP_TO(struct reeve_offer, flags), offer, err);
    if (!rc) rc = rv_check_group(out->group, out->flags, err);
    if (!rc) rc = rv_check_stream(out->name, err);
    if (!rc && out->info_size && !out->info)
        rc = rv_fail(err, REEVE_EINVAL, "info is NULL with an info_size of %zu", out->info_size);
    return rc ? rc : rv_check_stream_info(out->info_size, err);
}

int rv_check_group(const char *group, unsigned flags, struct rv_error *err) {
    int rc = rv_check_name("group", group, err);
    return rc ? rc : check_flags(flags, err);
}

/* What follows from the lease: how idle is idle, and how often to look. */
static int choose_scan(struct reeve_member_options *out, struct rv_error *err) {
    bool compat = out->flags & REEVE_COMPAT;
    if (!out->min_idle_ms) out->min_idle_ms = compat ? 2 * out->lease_ms : out->lease_ms;
    if (out->min_idle_ms < out->lease_ms || out->min_idle_ms > RV_LEASE_MS_MAX) {
        return rv_fail(err, REEVE_EINVAL,
                       "min_idle_ms is %" PRId64 " with lease_ms %" PRId64
                       ": expected the lease at least, and at most %" PRId64,
                       out->min_idle_ms, out->lease_ms, RV_LEASE_MS_MAX);
    }
    if (!out->scan_ms) {
        out->scan_ms = RV_SCAN_MS_DEFAULT;
        if (out->lease_ms / 2 < out->scan_ms) out->scan_ms = out->lease_ms / 2;
    }
    return check_range("scan_ms", out->scan_ms, 10, RV_LEASE_MS_MAX, err);
}

int rv_check_member_options(const struct reeve_member_options *options,
                            struct reeve_member_options *out, struct rv_error *err) {
    struct reeve_member_options none = {.size = sizeof none};
    int rc = adopt("reeve_member_options", out, sizeof *out,
                   SIZE_UP_TO(struct reeve_member_options, arg), options ? options : &none, err);
    if (!rc) rc = check_flags(out->flags, err);
    if (!rc) rc = choose_lease(&out->lease_ms, &out->renew_ms, err);
    if (!rc && !out->max) out->max = RV_MEMBER_MAX_DEFAULT;
    if (!rc) rc = check_range("max", out->max, 1, RV_MEMBER_MAX, err);
    if (!rc) rc = choose_scan(out, err);
    if (!rc)
        rc = choose_bound("max_retries", &out->max_retries, RV_ATTEMPTS_MAX,
                          RV_MEMBER_RETRIES_DEFAULT, err);
    if (!rc)
        rc = choose_bound("dead_max", &out->dead_max, RV_QUEUE_LENGTH_MAX, RV_DEAD_LETTERS_DEFAULT,
                          err);
    return rc ? rc : check_range("give_up_ms", out->give_up_ms, 0, RV_TIMEOUT_MS_MAX, err);
}

int rv_check_tender_options(const struct reeve_tender_options *options,
                            struct reeve_tender_options *out, struct rv_error *err) {
    struct reeve_tender_options none = {.size = sizeof none};
    return adopt("reeve_tender_options", out, sizeof *out,
                 SIZE_UP_TO(struct reeve_tender_options, no_election), options ? options : &none,
                 err);
}

int rv_check_program_options(const struct reeve_program_options *options,
                             struct reeve_program_options *out, struct rv_error *err) {
    int rc = adopt("reeve_program_options", out, sizeof *out,
                   SIZE_UP_TO(struct reeve_program_options, arg), options, err);
    if (rc || (out->argv && out->argv[0])) return rc;
    return rv_fail(err, REEVE_EINVAL, "no program is named");
}

static int check_timing(struct reeve_worker_options *out, struct rv_error *err) {
    int rc = choose_lease(&out->lease_ms, &out->renew_ms, err);
    if (rc) return rc;
    rc = choose_ms("timeout_ms", &out->timeout_ms, 0, RV_TIMEOUT_MS_MAX, err);
    return rc ? rc
              : choose_ms("grace_ms", &out->grace_ms, RV_GRACE_MS_DEFAULT, RV_GRACE_MS_MAX, err);
}

static int check_weights(const struct reeve_worker_options *options, struct rv_error *err) {
    int rc = 0;
    for (size_t i = 0; !rc && options->weights && options->queues[i]; i++)
        rc = check_range("a queue's weight", options->weights[i], 1, RV_WEIGHT_MAX, err);
    return rc;
}

int rv_check_limits(const struct reeve_limits *limits, struct reeve_limits *out,
                    struct rv_error *err) {
    struct reeve_limits none = {.size = sizeof none};
    int rc = adopt("reeve_limits", out, sizeof *out, SIZE_UP_TO(struct reeve_limits, file_size),
                   limits ? limits : &none, err);
    if (!rc) rc = check_range("cpu_ms", out->cpu_ms, 0, RV_TIMEOUT_MS_MAX, err);
    if (!rc) rc = check_range("files", out->files, 0, INT_MAX, err);
    return rc ? rc : check_range("processes", out->processes, 0, INT_MAX, err);
}

int rv_check_worker_options(const struct reeve_worker_options *options,
                            struct reeve_worker_options *out, struct rv_error *err) {
    static const char *const default_queues[] = {"default", NULL};
    struct reeve_worker_options none = {.size = sizeof none};
    struct reeve_limits limits;
    int rc =
        adopt("reeve_worker_options", out, sizeof *out,
              SIZE_UP_TO(struct reeve_worker_options, no_upkeep), options ? options : &none, err);
    if (rc) return rc;
    if (!out->queues) out->queues = default_queues;
    if (!out->result_max) out->result_max = RV_RESULT_MAX_DEFAULT;
    if (!out->stats_ms) out->stats_ms = RV_STATS_MS_DEFAULT;
    rc = check_queues(out->queues, err);
    if (!rc) rc = check_range("threads", out->threads, 0, RV_THREADS_MAX, err);
    if (!rc) rc = check_range("prefetch", out->prefetch, 0, RV_PREFETCH_MAX, err);
    if (!rc) rc = check_range("result_max", (int64_t)out->result_max, 1, RV_BODY_MAX, err);
    if (!rc)
        rc = check_range("in_doubt", out->in_doubt, REEVE_DOUBT_CONTINUE, REEVE_DOUBT_STOP, err);
    if (!rc) rc = check_weights(out, err);
    if (!rc) rc = rv_check_limits(out->limits, &limits, err);
    if (!rc) rc = check_range("stats_ms", out->stats_ms, 1, RV_TIMEOUT_MS_MAX, err);
    return rc ? rc : check_timing(out, err);
}

int rv_check_filter(const struct reeve_filter *filter, struct reeve_filter *out,
                    struct rv_error *err) {
    struct reeve_filter none = {.size = sizeof none};
    int rc = adopt("reeve_filter", out, sizeof *out, SIZE_UP_TO(struct reeve_filter, limit),
                   filter ? filter : &none, err);
    if (rc) return rc;
    if (!out->limit) out->limit = 100;
    if (out->queue) rc = rv_check_name("queue", out->queue, err);
    if (!rc && out->kind) rc = rv_check_name("kind", out->kind, err);
    if (!rc && out->state)
        rc = check_range("state", out->state, REEVE_DELAYED, REEVE_CANCELLED, err);
    return rc ? rc : check_range("limit", (int64_t)out->limit, 1, RV_LIST_MAX, err);
}

int rv_check_queue_settings(const struct reeve_queue_settings *settings,
                            struct reeve_queue_settings *out, struct rv_error *err) {
    int rc = adopt("reeve_queue_settings", out, sizeof *out,
                   SIZE_UP_TO(struct reeve_queue_settings, keep_failed), settings, err);
    if (!rc) rc = check_range("max_length", out->max_length, REEVE_NONE, RV_QUEUE_LENGTH_MAX, err);
    if (!rc)
        rc = check_range("keep_failed", out->keep_failed, REEVE_NONE, RV_QUEUE_LENGTH_MAX, err);
    if (!rc) rc = check_range("shards", out->shards, 0, RV_SHARDS_MAX, err);
    if (!rc && out->on_full && out->on_full != REEVE_REFUSE && out->on_full != REEVE_DROP_OLDEST) {
        rc = rv_fail(err, REEVE_EINVAL, "on_full is %d: expected refuse or drop-oldest",
                     (int)out->on_full);
    }
    return rc;
}

int64_t rv_lease_margin_ms(int64_t lease_ms) {
    int64_t margin = lease_ms / 10 > 250 ? lease_ms / 10 : 250;
    return margin < lease_ms / 4 ? margin : lease_ms / 4;
}

int64_t rv_lease_call_ms(int64_t timeout_ms, int64_t lease_ms) {
    int64_t part = lease_ms / 6 > 20 ? lease_ms / 6 : 20;
    return timeout_ms < part ? timeout_ms : part;
}
