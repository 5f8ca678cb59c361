/* reeve.h - a fault-tolerant distributed job queue. The public contract of libreeve.
 *
 * One idea runs through this file: whoever works holds a LEASE. A job in hand, a leadership,
 * an owned stream are each a name, a token and a time of expiry. Tokens of one name only
 * grow; the store refuses a write that carries an old one (REEVE_EFENCED).
 *
 *            push, delayed                run_at reached
 *   push ------------------> DELAYED ---------------------> READY <--------------+
 *     \                         ^                            |  ^                |
 *      \------------------------|--------------------------->|  | hand back      | revive
 *                               | retry: backoff       claim |  | (not counted)  |
 *                               |                            v  |                |
 *                               +--------------------- RUNNING -+                |
 *                                                     |   |   \                  |
 *                                             finish  |   |    \ cancel          |
 *                                                     v   v     v                |
 *                                                  DONE FAILED CANCELLED --------+
 *   A lapsed lease is a failed attempt, finished by proxy under the old token.
 *
 *   Errors   What can fail returns 0 or a negative REEVE_E*; reeve_errmsg() says more. Three
 *            kinds: refused (nothing happened), REEVE_EUNREACHABLE (nothing happened, try
 *            again), REEVE_EUNSURE (sent, the answer was lost: repeating the call is safe).
 *   Handles  are opaque typedefs (reeve, reeve_worker, ...). What ends one accepts NULL. What
 *            was opened from a handle is closed before it.
 *   Values   are plain structs. Those that *you* fill or provide begin with `size`; set it and
 *            they can grow without breaking your program:
 *                struct reeve_push push = {.size = sizeof push, .queue = "mail"};
 *            A zeroed field means the default, REEVE_NONE (-1) explicitly none. An array of
 *            such structs is walked by the size of its first element.
 *   Memory   Arguments are copied. A record handed out is one block: reeve_free() it. What a
 *            callback is shown lives until that callback returns. Records grow at their end.
 *   Bytes    (bodies, results, error details) are a pointer and a size, never text. Names,
 *            ids and messages are NUL-ended UTF-8 or plain bytes without NUL.
 *   Time     is milliseconds; *_at_ms is since the epoch, by the store's clock; 0 is "not yet".
 *   Threads  Any call may come from any thread, except that a reeve_task belongs to one at a
 *            time. Callbacks come from the library's own threads and must not close the
 *            handle that calls them. No handle survives fork().
 *   Process  The library installs no signal handler, never writes to stdout and never exits.
 *            Programs run by a worker are its children: do not reap them with waitpid(-1).
 */
#ifndef REEVE_H
#define REEVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- version ------------------------------------------------------------------------- */
#define REEVE_VERSION "0.1.0"
#define REEVE_VERSION_NUMBER 100 /* major * 10000 + minor * 100 + patch */

const char *reeve_version(void); /* of the library at run time, as REEVE_VERSION */
int reeve_version_number(void);  /* likewise; the soname changes with the major version only */

/* ---- limits -------------------------------------------------------------------------- */
#define REEVE_NONE (-1)          /* in option fields: explicitly none */
#define REEVE_NAME_SIZE 129      /* bytes of a queue, kind or leader name, with its NUL */
#define REEVE_ID_SIZE 256        /* bytes of a job's id, with its NUL */
#define REEVE_BODY_MAX (8 << 20) /* bytes of a body or a result */
#define REEVE_PRIORITY_MIN (-8)  /* runs first */
#define REEVE_PRIORITY_MAX 7     /* runs last */
#define REEVE_SHARDS_MAX 64      /* of one queue */

/* ---- errors -------------------------------------------------------------------------- */
#define REEVE_ERRORS(X)                                       \
    X(EINVAL, -1, "invalid argument")                         \
    X(ENOMEM, -2, "out of memory")                            \
    X(ENOENT, -3, "no such job, queue, lease or stream")      \
    X(ESTATE, -4, "not possible in this state")               \
    X(EFENCED, -5, "lease lost: a newer token exists")        \
    X(ETIMEDOUT, -6, "timed out")                             \
    X(ETOOBIG, -7, "over a limit")                            \
    X(EUNREACHABLE, -8, "store unreachable")                  \
    X(EUNSURE, -9, "sent, but the answer was lost")           \
    X(ENOTSUP, -10, "not supported by this store or build")   \
    X(ESCHEMA, -11, "store holds another version's data")     \
    X(ECLOSED, -12, "handle is closing")                      \
    X(EBUG, -13, "a bug in reeve")                            \
    X(ECORRUPT, -14, "store is damaged or not a reeve store") \
    X(EFULL, -15, "queue is full")

enum reeve_error {
    REEVE_OK = 0,
#define REEVE_X(name, value, text) REEVE_##name = value,
    REEVE_ERRORS(REEVE_X)
#undef REEVE_X
};

const char *reeve_strerror(int error); /* static text of a code */
const char *reeve_errname(int error);  /* its name: "EFENCED" */
const char *reeve_errmsg(void);        /* of this thread's last failure, valid until the next */
bool reeve_retriable(int error);       /* may the same call succeed later? */

/* ---- opening ------------------------------------------------------------------------- */
typedef struct reeve reeve;

enum reeve_log_level { REEVE_LOG_ERROR = 1, REEVE_LOG_WARN, REEVE_LOG_INFO, REEVE_LOG_DEBUG };

/* line: "ID key=value ..." in logfmt, without a newline; the ids are listed in reeve(7). */
typedef void reeve_log_fn(void *arg, enum reeve_log_level level, const char *line);

/* Bodies and results on their way to the store and back: for compression or encryption. *out
 * becomes one block from malloc(), which the library frees. 0 or a REEVE_E*: an encode that fails
 * refuses the call; a body that cannot be decoded fails its attempt with code "codec". Called from
 * any thread. */
typedef int reeve_codec_fn(void *arg, const void *data, size_t size, void **out, size_t *out_size);

struct reeve_codec {
    size_t size;
    reeve_codec_fn *encode, *decode; /* both or none */
    void *arg;
};

struct reeve_options {
    size_t size;
    const char *space;  /* a namespace: nothing in one is visible in another. "reeve" */
    const char *name;   /* who we are, for people. $POD_NAME, or "host:pid" */
    int64_t timeout_ms; /* one call, reconnecting included. 5000 */
    reeve_log_fn *log;  /* NULL: stderr */
    void *log_arg;
    enum reeve_log_level log_level;  /* up to this one. REEVE_LOG_WARN */
    const struct reeve_codec *codec; /* NULL: bytes are stored as they are */
    const char *spool; /* a local file that keeps pushes while the store is away, see below. NULL */
    int64_t spool_max; /* pushes that may wait in it, for this store. 100000 */
};

/* url: sqlite:PATH, redis://, rediss://, redis+unix://, redis+sentinel://HOST,HOST/NAME or
 * redis+cluster://HOST,HOST (docs/redis.md), memory: (private to this handle), NULL for the user's
 * own file (see reeve_default_url). Creates the store or upgrades its schema if need be. On failure
 * *out is NULL. With a spool a store that is away is no failure: it is opened when it can be had.
 */
int reeve_open(reeve **out, const char *url, const struct reeve_options *options);
void reeve_close(reeve *r); /* last, after all that was opened from it */
void reeve_free(void *record);

/* "sqlite:" and $XDG_STATE_HOME/reeve/reeve.db, or ~/.local/state/reeve/reeve.db. One block. */
int reeve_default_url(char **out);
/* url with its password, if any, replaced by "***": fit to be shown. One block. */
int reeve_redact_url(const char *url, char **out);

/* ---- jobs ---------------------------------------------------------------------------- */
enum reeve_state {
    REEVE_DELAYED = 1, /* until run_at_ms: a start time, or the backoff of a retry */
    REEVE_READY,       /* waits for a worker */
    REEVE_RUNNING,     /* held under a lease; a lapse counts as a failed attempt */
    REEVE_DONE,        /* final, as are the next two */
    REEVE_FAILED,      /* attempts used up, or given up on; kept until purged */
    REEVE_CANCELLED,
};

const char *reeve_state_name(enum reeve_state state); /* "delayed" ... */
int reeve_state_parse(const char *name, enum reeve_state *out);

enum reeve_backoff {
    REEVE_EXPONENTIAL = 0, /* backoff_ms, then twice that, ... */
    REEVE_LINEAR,          /* backoff_ms, then 2, 3, ... times that */
    REEVE_FIXED,           /* always backoff_ms */
}; /* each up to backoff_ms_max, and a random part of it ("full jitter") is waited */

struct reeve_push {
    size_t size;
    const char *queue; /* "default" */
    const char *kind;  /* which handler runs it. "default" */
    const char *id;    /* NULL: generated. A known id changes nothing: see reeve_pushed. */
    const void *body;
    size_t body_size;
    int priority;      /* -8..7, smaller runs sooner. 0 */
    int64_t delay_ms;  /* 0: now */
    int64_t run_at_ms; /* instead of a delay: since the epoch. 0: by delay_ms */
    int attempts_max;  /* 3 */
    enum reeve_backoff backoff;
    int64_t backoff_ms;     /* 1000; REEVE_NONE: retry at once */
    int64_t backoff_ms_max; /* 1 hour */
    int64_t timeout_ms;     /* one attempt. 0: the worker's */
    int64_t keep_ms;  /* id and result outlive the end by this. 1 hour; REEVE_NONE: not at all,
                      * and then a repeated push or finish can no longer be recognised */
    uint64_t request; /* 0: a new one. To repeat a push whose outcome is unsure: what reeve_pushed
                       * told, with the id it told. If the first was made after all, it is answered
                       * as that was, and not as a duplicate */
};

enum reeve_push_status {
    REEVE_QUEUED = 1,     /* new, or known as cancelled and queued anew */
    REEVE_DUPLICATE,      /* the id is waiting, running or failed: nothing changed */
    REEVE_DUPLICATE_DONE, /* the id is done: nothing changed, here is its result */
    REEVE_SPOOLED,        /* the store is away: kept in the spool, and forwarded later */
};
const char *reeve_push_status_name(enum reeve_push_status status); /* "queued" ... */

struct reeve_pushed {
    size_t size;
    char id[REEVE_ID_SIZE];
    enum reeve_push_status status; /* 0 if refused */
    enum reeve_state state;        /* of the job of that id now; 0 with REEVE_SPOOLED */
    int error;                     /* REEVE_OK, or why this one was refused */
    struct reeve_job *done; /* with REEVE_DUPLICATE_DONE: its record, yours to free; else NULL */
    uint64_t request;       /* which push it was: see reeve_push */
};

struct reeve_failure {
    const char *message;
    const char *code; /* exit:N, signal:N, timeout, too_big, lapsed, no_handler, or the handler's */
    const void *detail;
    size_t detail_size;
};

enum reeve_attempt_outcome {
    REEVE_ATTEMPT_RUNNING = 0,
    REEVE_ATTEMPT_DONE,
    REEVE_ATTEMPT_RETRY,  /* failed, another followed */
    REEVE_ATTEMPT_FAILED, /* failed, and none followed */
    REEVE_ATTEMPT_LAPSED, /* its holder went silent */
    REEVE_ATTEMPT_HANDED_BACK,
    REEVE_ATTEMPT_CANCELLED,
};
const char *reeve_attempt_outcome_name(enum reeve_attempt_outcome outcome); /* NULL while running */

struct reeve_attempt {
    int attempt; /* 1 is the first; one handed back has the number of the next */
    enum reeve_attempt_outcome outcome;
    const char *worker;
    uint64_t token;
    int64_t started_at_ms, ended_at_ms;
    const struct reeve_failure *error; /* NULL if it did not fail; without detail */
};

struct reeve_job {
    const char *queue, *id, *kind;
    enum reeve_state state;
    int priority;
    int attempt; /* attempts begun and not handed back: 0 before the first */
    int attempts_max;
    uint64_t token;     /* of the latest lease; 0 if never held */
    const char *worker; /* who runs or last ran it, for people; NULL if none yet */
    bool cancelling;    /* RUNNING, and told to stop */
    int64_t created_at_ms, run_at_ms, started_at_ms, ended_at_ms, lease_until_ms;
    const void *body, *result; /* result: NULL if none; an empty one is not NULL */
    size_t body_size, result_size;
    const struct reeve_failure *error; /* of the last failed attempt; NULL if none, or DONE */
    const struct reeve_attempt *const *history; /* oldest first; the last 32 */
    size_t history_count;
    enum reeve_backoff backoff;
    int64_t backoff_ms, backoff_ms_max, timeout_ms, keep_ms; /* as pushed; 0: none */
    int progress;           /* as its handler told last, 0..100; REEVE_NONE if it never did */
    const char *const *log; /* what its handlers told, oldest first; the last 100 lines */
    size_t log_count;
    bool undecodable; /* the codec refused body or result: they are as the store has them */
};

struct reeve_filter {
    size_t size;
    const char *queue;      /* NULL: all */
    const char *kind;       /* NULL: any */
    enum reeve_state state; /* 0: any */
    const char *after;      /* the cursor that an earlier call gave */
    size_t limit;           /* 100; at most 1000 */
};

typedef int reeve_job_fn(void *arg, const struct reeve_job *job); /* nonzero stops the listing */

/* One call is one durable step: when it returns 0, the job is safe in the store. Calls from many
 * threads share a step. *out, which may be NULL, is set if 0 is returned; with REEVE_EUNSURE so are
 * its id, which is the one to repeat the call with, and its error. */
int reeve_push(reeve *r, const struct reeve_push *push, struct reeve_pushed *out);
/* An answer per job, in order; one step per queue and batch. 0 if every one was queued or known,
 * else the first error; outs[i].error tells each. Refusing one never sinks the others. */
int reeve_push_many(reeve *r, const struct reeve_push *pushes, size_t count,
                    struct reeve_pushed *outs);

/* Pushes, and waits for the end: a call of a procedure that survives whoever dies. Returns as
 * reeve_push() if that fails, else as reeve_wait(), with the record in *job; *out, which may be
 * NULL, is set as by reeve_push(): its id is the one to wait for if time was over. A job that was
 * known and done is told at once, in *job and not in out->done. REEVE_EINVAL if its record would
 * not be kept; REEVE_EUNREACHABLE if it went into a spool, as out->status tells. Once it is pushed,
 * a store that is away only makes it longer: REEVE_ETIMEDOUT when time is over. Costs fewer steps
 * than the two calls where the store can tell of the end by itself. */
int reeve_push_wait(reeve *r, const struct reeve_push *push, int64_t timeout_ms,
                    struct reeve_pushed *out, struct reeve_job **job);

/* A job is addressed by queue and id: ids are unique within a queue. */
int reeve_get(reeve *r, const char *queue, const char *id, struct reeve_job **out);
/* Returns 0 with the record once it is DONE, FAILED or CANCELLED; REEVE_ETIMEDOUT with the record
 * as it was last seen, NULL if the store did not answer at all; REEVE_ENOENT if it is unknown or
 * was not kept. timeout_ms REEVE_NONE: for ever. A store that stands still makes it longer by a
 * second at most; one that is away from the beginning is REEVE_EUNREACHABLE after the time-out of a
 * call, if that is less. */
int reeve_wait(reeve *r, const char *queue, const char *id, int64_t timeout_ms,
               struct reeve_job **out);
/* A waiting job is CANCELLED at once; a RUNNING one is told to stop and *now is RUNNING.
 * REEVE_ESTATE if it has ended. now may be NULL. */
int reeve_cancel(reeve *r, const char *queue, const char *id, enum reeve_state *now);
/* FAILED or CANCELLED: READY again, attempts counted from 0, the history kept. */
int reeve_revive(reeve *r, const char *queue, const char *id);
/* Forgets it; REEVE_ESTATE while it is RUNNING. */
int reeve_remove(reeve *r, const char *queue, const char *id);
/* How long the record of an ended job stays from now on; REEVE_ESTATE if it has not ended. */
int reeve_keep(reeve *r, const char *queue, const char *id, int64_t keep_ms);
/* Calls fn for up to filter->limit jobs, in no particular order. *cursor (may be NULL) becomes one
 * block to pass as filter->after for the rest, or NULL at the end. Jobs that move meanwhile may be
 * missed. */
int reeve_list(reeve *r, const struct reeve_filter *filter, reeve_job_fn *fn, void *arg,
               char **cursor);

/* Is this lease, as a handler was given it, still current in the store? 0, REEVE_EFENCED if not.
 * Ask before doing what cannot be undone. */
int reeve_check(reeve *r, const char *queue, const char *id, uint64_t token, uint64_t holder);
/* The same, asked inside a program that a worker runs: by REEVE_SOCKET and the REEVE_* around it,
 * without opening a store. REEVE_ESTATE if this is no such program. */
int reeve_check_here(void);
/* Why it is not running, in one sentence (one block): paused, delayed, in backoff, no worker, none
 * that knows its kind, waiting behind others, running, finished. */
int reeve_why(reeve *r, const char *queue, const char *id, char **out);

/* ---- spool: pushes while the store is away -------------------------------------------- */
/* With reeve_options.spool, a push whose store cannot be reached, or does not answer, is kept in
 * that file (SQLite; made with its folders, mode 0600) before the call returns REEVE_SPOOLED, and
 * is forwarded when the store is back: under the same id, so that it is there once. A delay counts
 * from the push. While pushes of this handle wait, later ones of its own wait behind them, in
 * order; those of others may come first. Until then the store does not know the job: reeve_get()
 * and reeve_wait() say so. If the file cannot be written, the push fails as it would without it;
 * REEVE_EFULL: spool_max pushes wait.
 *
 * Every handle with that spool and that store (the same url but for its password, the same space)
 * forwards, whoever kept the push, in the background. What the store would not have now, a full
 * queue for example, is tried again; what it will never have is refused, and kept with the reason.
 * A job that keeps nothing (keep_ms REEVE_NONE), or whose record is gone by the time a push of
 * unsure outcome is forwarded, cannot be recognised and may run again. */
struct reeve_spool_info {
    size_t size;
    uint64_t waiting;   /* to be forwarded to this store */
    uint64_t refused;   /* by it, for good */
    uint64_t forwarded; /* by this call */
    int64_t oldest_ms;  /* how long the first in line has been waiting; 0 if none */
};

/* A push in the file, whichever store it is for. */
struct reeve_spooled {
    const char *store; /* url without its password, and space */
    const char *queue; /* "": what stands there is damaged, and error says how; store and kind are
                        * "", too, and body is all of it */
    const char *id, *kind;
    const void *body; /* as the store would have it: encoded, if there is a codec */
    size_t body_size;
    int64_t at_ms;     /* when it was pushed */
    int64_t run_at_ms; /* 0: at once */
    bool refused;
    const struct reeve_failure *error; /* why it was refused or put off; NULL: not yet tried */
};
typedef int reeve_spooled_fn(void *arg, const struct reeve_spooled *spooled); /* nonzero stops */

/* These fail with REEVE_ESTATE if the handle has no spool. out may be NULL. */
int reeve_spool_read(reeve *r, struct reeve_spool_info *out);
/* Forwards what waits, now: 0, or why it could not. What others have in hand still counts as
 * waiting. */
int reeve_spool_forward(reeve *r, struct reeve_spool_info *out);
int reeve_spool_list(reeve *r, reeve_spooled_fn *fn, void *arg);
/* Of those that this store refused: all wait again, or all go. *count (may be NULL) of them. */
int reeve_spool_revive(reeve *r, uint64_t *count);
int reeve_spool_purge(reeve *r, uint64_t *count);

/* ---- queues -------------------------------------------------------------------------- */
enum reeve_on_full {
    REEVE_REFUSE = 1,  /* a push into a full queue fails with REEVE_EFULL */
    REEVE_DROP_OLDEST, /* the job that has been waiting longest makes room */
};

/* A recorded policy: it holds for all who use the queue. Zeroed fields stay as they are, REEVE_NONE
 * takes a bound away. */
struct reeve_queue_settings {
    size_t size;
    int64_t max_length;         /* jobs that wait: delayed and ready. None at first */
    enum reeve_on_full on_full; /* REEVE_REFUSE at first */
    int64_t keep_failed;        /* failed records kept; the oldest beyond go. None at first */
    int shards; /* that the queue is divided into, so that it outgrows one server: 1 at first, up to
                 * REEVE_SHARDS_MAX. REEVE_ESTATE while it holds records of jobs; REEVE_ENOTSUP for
                 * more than 1 where the store knows no shards. Order holds within each of them; the
                 * bounds above are divided among them */
};

struct reeve_queue {
    const char *name;
    bool paused;
    uint64_t delayed, ready, running, done, failed, cancelled; /* records now */
    uint64_t pushed_total;                                     /* jobs accepted */
    uint64_t finished_total;         /* jobs that came to an end: done, failed or cancelled */
    uint64_t retried_total;          /* failed attempts that another follows, lapses included */
    uint64_t lapsed_total;           /* attempts whose holder went silent */
    uint64_t fenced_total;           /* refused writes under an old token */
    int64_t oldest_ready_ms;         /* how long the first in line has been waiting; 0 if none */
    int64_t max_length, keep_failed; /* as set; 0: no bound */
    enum reeve_on_full on_full;
    uint64_t refused_total; /* pushes refused because it was full */
    uint64_t dropped_total; /* waiting jobs that made room, or were purged or removed */
    uint64_t
        trimmed_total; /* ended records that went: expired, over keep_failed, purged or removed */
    int shards;        /* that it is divided into; 1 where the store knows none */
};
typedef int reeve_queue_fn(void *arg, const struct reeve_queue *queue); /* nonzero stops */

int reeve_queue_read(reeve *r, const char *queue, struct reeve_queue **out); /* ENOENT if unknown */
int reeve_queue_list(reeve *r, reeve_queue_fn *fn, void *arg);
int reeve_pause(reeve *r, const char *queue, bool paused); /* paused: nothing is claimed from it */
int reeve_queue_set(reeve *r, const char *queue, const struct reeve_queue_settings *settings);
/* Removes all jobs in that state (0: DELAYED and READY); never RUNNING ones. *removed, which may be
 * NULL, tells how many went, also if it failed on the way. */
int reeve_queue_purge(reeve *r, const char *queue, enum reeve_state state, uint64_t *removed);

/* ---- tasks: a job in hand ------------------------------------------------------------ */
typedef struct reeve_task reeve_task;

enum reeve_verdict {
    REEVE_SUCCEED,
    REEVE_RETRY,     /* after the backoff, while attempts remain */
    REEVE_GIVE_UP,   /* FAILED at once */
    REEVE_HAND_BACK, /* READY; the attempt does not count */
};

enum reeve_stop {
    REEVE_GO_ON = 0,
    REEVE_STOP_CANCELLED, /* somebody cancelled the job */
    REEVE_STOP_LOST,      /* the lease is another's now: nothing you hand in will count */
    REEVE_STOP_TIMEOUT,   /* the attempt took longer than its timeout_ms */
    REEVE_STOP_DRAINING,  /* the worker is closing; what is not finished in time is handed back */
};

const struct reeve_job *reeve_task_job(const reeve_task *task);
uint64_t reeve_task_token(const reeve_task *task); /* give it to whatever you write to */
enum reeve_stop reeve_task_stopping(const reeve_task *task);
/* No renewal has come through for so long that the lease may have lapsed. Finish if you can: the
 * store decides; do nothing that cannot be undone. */
bool reeve_task_in_doubt(const reeve_task *task);
/* Sleeps up to ms, less if the task is to stop; returns as reeve_task_stopping. */
enum reeve_stop reeve_task_sleep(const reeve_task *task, int64_t ms);
int reeve_task_set_result(reeve_task *task, const void *data, size_t size);
/* code may be NULL; detail is opaque bytes, may be NULL. */
int reeve_task_set_error(reeve_task *task, const char *code, const char *message,
                         const void *detail, size_t detail_size);

/* What people see while it runs, written at once under the token: REEVE_EFENCED if the lease is
 * lost. */
int reeve_task_progress(reeve_task *task, int percent);
int reeve_task_log(reeve_task *task, const char *line); /* cut at 1000 bytes */

/* For a loop of your own; a worker does these for you. queues: NULL-ended, most urgent first. Waits
 * up to wait_ms for a job: REEVE_ETIMEDOUT if none came. The lease is yours to renew. */
int reeve_claim(reeve *r, const char *const queues[], int64_t lease_ms, int64_t wait_ms,
                reeve_task **out);
int reeve_renew(reeve_task *task, int64_t lease_ms); /* REEVE_EFENCED: it is lost */
/* 0 and REEVE_EFENCED end the task. On a retriable error it is still yours: finish again, or drop
 * it. */
int reeve_finish(reeve_task *task, enum reeve_verdict verdict);
void reeve_task_drop(reeve_task *task); /* ends it unfinished: the lease lapses in its time */

/* ---- workers ------------------------------------------------------------------------- */
typedef struct reeve_worker reeve_worker;
typedef enum reeve_verdict reeve_handler(void *arg, reeve_task *task);

enum reeve_in_doubt { REEVE_DOUBT_CONTINUE = 0, REEVE_DOUBT_STOP };

/* What a program may use, by setrlimit(2), so that it hits the job and not the worker. 0: no bound.
 */
struct reeve_limits {
    size_t size;
    size_t memory;    /* bytes of address space */
    int64_t cpu_ms;   /* rounded up to seconds */
    int files;        /* open at once */
    int processes;    /* of the worker's user, its own included */
    size_t file_size; /* bytes of a file it writes */
};

/* What the hook after an execution sees, before the outcome is handed in. It may set result and
 * error of the task as the handler may, and change these: */
struct reeve_execution {
    enum reeve_verdict verdict;
    int64_t keep_ms;     /* as in reeve_push; a value out of bounds is ignored and logged */
    int64_t duration_ms; /* of this attempt; changing it changes nothing */
};
typedef void reeve_after_fn(void *arg, reeve_task *task, struct reeve_execution *execution);

/* A worker's own figures, since its start. What it has claimed has come to one of the next five, or
 * is in its hands still. */
struct reeve_worker_stats {
    size_t size;
    uint64_t claimed;
    uint64_t succeeded;
    uint64_t failed; /* attempts, whether or not another follows */
    uint64_t handed_back;
    uint64_t cancelled;
    uint64_t lost;          /* the lease was another's at the end, or nobody could be told */
    uint64_t running;       /* in the hands of its threads, or about to be */
    int64_t since_claim_ms; /* since the store last answered a claim, or another call while no more
                             * jobs were wanted: the worker's health */
};
typedef void reeve_stats_fn(void *arg, const struct reeve_worker_stats *stats);

struct reeve_worker_options {
    size_t size;
    const char *const *queues;    /* NULL-ended, most urgent first. {"default", NULL} */
    int threads;                  /* jobs at once. One per CPU */
    int64_t lease_ms;             /* 30000, at least 100 */
    int64_t renew_ms;             /* a third of the lease, at most half */
    int64_t timeout_ms;           /* of an attempt whose job names none. 0: none */
    int64_t grace_ms;             /* between TERM and KILL of a program. 25000 */
    int prefetch;                 /* jobs claimed beyond the free threads. 0 */
    uint64_t jobs_max;            /* end after that many. 0: no bound */
    bool until_empty;             /* end when nothing is ready, delayed or running */
    enum reeve_in_doubt in_doubt; /* what becomes of a program in doubt */
    size_t result_max;            /* bytes of a program's output that are kept. 1 MiB */
    bool no_upkeep;               /* others tend this store */
    const int *weights; /* of queues, 1..100 each: served in proportion. NULL: strictly in order */
    const struct reeve_limits *limits; /* of programs. NULL: the worker's own */
    reeve_after_fn *after;             /* hook after each execution */
    void *after_arg;
    reeve_stats_fn *stats; /* called every stats_ms and at the end, from a thread of the worker's */
    void *stats_arg;
    int64_t stats_ms; /* 10000 */
    bool no_election; /* does upkeep whoever else does: see reeve_tender_options */
};

int reeve_worker_open(reeve_worker **out, reeve *r, const struct reeve_worker_options *options);
/* kind NULL: any that has no handler of its own. An attempt of a kind that has none fails with code
 * no_handler. A function keeps its thread until it returns, whatever it was told. REEVE_SUCCEED
 * stands in any case but a lost lease, REEVE_GIVE_UP unless the job was cancelled; else a job that
 * was cancelled is CANCELLED, and one that timed out has a failed attempt with code timeout. */
int reeve_worker_handle(reeve_worker *w, const char *kind, reeve_handler *fn, void *arg);
/* A program as handler: the body on its stdin, its stdout is the result, the end of its stderr the
 * error. Exit 0 succeeds, 65 gives up, 75 hands back, all else is a failed attempt. No shell. What
 * it leaves running, in whatever session, is killed once it has ended. See reeve-work(1). */
int reeve_worker_exec(reeve_worker *w, const char *kind, const char *const argv[]);
/* A store that is away is no error: the worker waits for it. */
int reeve_worker_start(reeve_worker *w);
void reeve_worker_quiet(reeve_worker *w, bool quiet); /* quiet: no new jobs, the others go on */
/* Ends claiming; handlers are told and have grace_ms (REEVE_NONE: the worker's) to finish, then
 * programs are ended (TERM, then KILL) and handed back under their token; functions are waited for.
 * Returns at once; calling it again may shorten the grace. */
void reeve_worker_stop(reeve_worker *w, int64_t grace_ms);
/* Until it has ended, by stop or by itself: 0, or REEVE_ETIMEDOUT. */
int reeve_worker_wait(reeve_worker *w, int64_t timeout_ms);
int reeve_worker_drain(reeve_worker *w, int64_t grace_ms); /* stop, then wait for the end */
int reeve_worker_stats(reeve_worker *w, struct reeve_worker_stats *out); /* ESTATE: not started */
void reeve_worker_dump(reeve_worker *w);  /* logs what every thread is doing */
void reeve_worker_close(reeve_worker *w); /* drains with no grace if it still runs */

struct reeve_worker_info {
    const char *id;     /* random, of one process start */
    const char *name;   /* for people */
    const char *queues; /* separated by spaces */
    const char *kinds;  /* that it has handlers for, separated by spaces; "*" for any */
    int threads;
    uint64_t running;
    int64_t started_at_ms, seen_at_ms;
    int64_t degraded_since_ms; /* the store has not answered since; 0: all is well */
    int64_t claimed_at_ms;  /* the store last answered a claim of its then, as it told when it was
                                * last seen; 0: it does not say */
    int64_t since_claim_ms; /* how long ago that was, by the store's clock: its health */
};
typedef int reeve_worker_fn(void *arg, const struct reeve_worker_info *worker); /* nonzero stops */
int reeve_worker_list(reeve *r, reeve_worker_fn *fn, void *arg);

/* ---- upkeep -------------------------------------------------------------------------- */
typedef struct reeve_tender reeve_tender;

struct reeve_tended {
    size_t size;
    uint64_t promoted; /* delayed jobs that came due */
    uint64_t lapsed;   /* attempts ended by proxy */
    uint64_t expired;  /* records kept long enough */
    int64_t next_ms;   /* until there is more to do, as far as the store knows */
};

/* One pass over all queues, election or not. Workers do this by themselves; any number may. */
int reeve_tend(reeve *r, struct reeve_tended *out);

/* Where several processes share a store, those who tend elect one; the others look now and then,
 * and take over when it is gone. Nothing hangs on that but how often the store is looked at. */
struct reeve_tender_options {
    size_t size;
    bool no_election; /* tend whoever else does */
};

/* Passes in the background. options may be NULL. */
int reeve_tender_open(reeve_tender **out, reeve *r, const struct reeve_tender_options *options);
void reeve_tender_close(reeve_tender *t);

/* ---- doctor -------------------------------------------------------------------------- */
enum reeve_health { REEVE_FINE = 1, REEVE_DOUBTFUL, REEVE_BAD, REEVE_REPAIRED };

struct reeve_finding {
    enum reeve_health health;
    const char *check; /* a stable word: schema, integrity, orphans, leases, mode, ... */
    const char *text;  /* one line for people */
};
typedef int reeve_finding_fn(void *arg, const struct reeve_finding *finding); /* nonzero stops */

/* Is this store fit and consistent? Tells one finding per check; with repair mends what it can. */
int reeve_doctor(reeve *r, bool repair, reeve_finding_fn *fn, void *arg);

/* ---- watching ------------------------------------------------------------------------ */
typedef struct reeve_watch reeve_watch;

enum reeve_event_type {
    REEVE_JOB_PUSHED = 1,
    REEVE_JOB_CLAIMED,
    REEVE_JOB_RETRIED,     /* a failed attempt, another follows */
    REEVE_JOB_HANDED_BACK, /* unrun, or not counted */
    REEVE_JOB_LAPSED,      /* its holder went silent */
    REEVE_JOB_ENDED,       /* done, failed or cancelled: see state */
    REEVE_WORKER_STARTED,  /* on this queue: id is "", state 0 */
    REEVE_WORKER_STOPPED,
    REEVE_LEADER_GAINED, /* see leader: of no queue, so queue and id are "", state 0 */
    REEVE_LEADER_LOST,   /* why tells the reason; token of both is the term */
    /* One of the store's servers has taken the place of another, as this handle saw it: see from,
     * to, took_ms; of no queue, so queue and id are "", state 0. What the first had acknowledged
     * and not passed on is lost, but for pushes of the last moments that handles make again. */
    REEVE_STORE_FAILOVER,
};
const char *reeve_event_name(enum reeve_event_type type); /* "pushed" ... */

/* Why a leader leads no more. */
enum reeve_lost {
    REEVE_LOST_FENCED = 1, /* the store says so: it has lapsed, or is another's */
    REEVE_LOST_EXPIRED,    /* no renewal came through, so it may lapse */
    REEVE_LOST_RESIGNED,   /* by reeve_leader_resign(), or somebody asked for it */
    REEVE_LOST_CLOSED,     /* reeve_leader_close() */
};
const char *reeve_lost_name(enum reeve_lost why); /* "fenced" ... */

struct reeve_event {
    enum reeve_event_type type;
    enum reeve_state state; /* the job came to */
    int64_t at_ms;
    const char *queue, *id;
    const char *worker; /* or NULL */
    uint64_t token;     /* or 0 */
    const char *leader; /* the name; "@upkeep" for the library's own election. Or NULL */
    enum reeve_lost why;
    const char *from, *to; /* servers, host:port; or NULL */
    int64_t took_ms;       /* since the first was found not to answer; 0: that was not noticed */
};
typedef void reeve_event_fn(void *arg, const struct reeve_event *event);

/* Best effort: may miss events, never invents one. queue NULL: all, and leaders. Fail-overs are
 * told in either case. */
int reeve_watch_open(reeve_watch **out, reeve *r, const char *queue, reeve_event_fn *fn, void *arg);
void reeve_watch_close(reeve_watch *w);

/* ---- leaders: one holder per name ---------------------------------------------------- */
/* Of all that contend for a name, on whatever host, at most one leads. Each time somebody comes to
 * lead is a term; the number of a term only grows. Two leaders at once are ruled out by the store's
 * clock and, by a margin, by ours: a leader that hears nothing of its store gives up before its
 * lease can lapse. A process that was stopped and goes on cannot know that in time: whatever you
 * write to should refuse a term lower than one it has seen, or ask reeve_leader_check(). */
typedef struct reeve_leader reeve_leader;

/* Both are called from one thread of the leader's own: lost only after gained has returned, then
 * perhaps gained again. A slow gained puts off nothing: reeve_leader_term() is 0 in time. */
typedef void reeve_gained_fn(void *arg, uint64_t term);
/* The work of a leader must have ended when it returns: with RESIGNED and CLOSED the lease is
 * renewed meanwhile, and only then given to others. With EXPIRED there is little time:
 * reeve_leader_left_ms(); with FENCED there is none. */
typedef void reeve_lost_fn(void *arg, enum reeve_lost why);

struct reeve_leader_options {
    size_t size;
    int64_t lease_ms;        /* 30000, at least 100 */
    int64_t renew_ms;        /* a third of the lease, at most half */
    int64_t retry_ms;        /* how often one that does not lead looks, if it hears nothing. 5000 */
    reeve_gained_fn *gained; /* may be NULL, as may lost */
    reeve_lost_fn *lost;
    void *arg;
};

/* Contends for the name in the background until it is closed; a store that is away is waited for.
 * *out is set before anything is called. REEVE_ESTATE if this handle contends for it already. */
int reeve_leader_open(reeve_leader **out, reeve *r, const char *name,
                      const struct reeve_leader_options *options);
/* The term, 0 while it does not lead: from before the lease can lapse. Asks nobody: ask often. */
uint64_t reeve_leader_term(const reeve_leader *l);
/* How long until the store may give the name to another, if it is not renewed; 0: it may have. */
int64_t reeve_leader_left_ms(const reeve_leader *l);
/* Gives it up, as soon as lost has returned, and lets others go first for retry_ms. Returns at
 * once; may be called by gained. REEVE_ESTATE if it does not lead. */
int reeve_leader_resign(reeve_leader *l);
void reeve_leader_close(reeve_leader *l); /* at any time; see reeve_lost_fn */

/* Is this the term that stands now, in the store? 0, REEVE_EFENCED if not: for what only a leader
 * may write. */
int reeve_leader_check(reeve *r, const char *name, uint64_t term);

struct reeve_leader_info {
    const char *name;
    const char *by; /* reeve_options.name of who leads */
    uint64_t term;
    int64_t since_at_ms;
    int64_t until_at_ms; /* unless it is renewed */
    bool resigning;      /* it was asked to give it up */
    bool upkeep;         /* the library's own election: who tends this store */
};
typedef int reeve_leader_fn(void *arg, const struct reeve_leader_info *leader); /* nonzero stops */

int reeve_leader_list(reeve *r, reeve_leader_fn *fn, void *arg); /* those that have a leader */
int reeve_leader_read(reeve *r, const char *name,
                      struct reeve_leader_info **out); /* ENOENT: nobody leads */
/* Asks whoever leads to give it up: it ends its work first. REEVE_ENOENT if nobody does. */
int reeve_leader_recall(reeve *r, const char *name);

/* ---- locks: mutual exclusion for everyday use ---------------------------------------- */
typedef struct reeve_lock reeve_lock;

/* name can no longer be relied on: stop what you do under the lock, then close it. Called once,
 * from a thread of the lock's. */
typedef void reeve_lock_lost_fn(void *arg, const char *name);

struct reeve_lock_options {
    size_t size;
    int64_t wait_ms;          /* for all of them. 0: for ever; REEVE_NONE: not at all */
    int64_t lease_ms;         /* 30000, at least 100: how long a holder that dies keeps it */
    int64_t renew_ms;         /* a third of the lease, at most half */
    reeve_lock_lost_fn *lost; /* may be NULL */
    void *arg;
};

/* Returns 0 once all names (NULL-ended, each once) are held, and REEVE_ETIMEDOUT if they were not
 * had in time: then none is. They are taken in the order of their bytes, so that two who want the
 * same never wait for each other, and whoever waits for a name gets it in his turn. */
int reeve_lock_open(reeve_lock **out, reeve *r, const char *const names[],
                    const struct reeve_lock_options *options);
/* The token of the i-th name in the order of their bytes: it only grows; 0 if it is lost, or if
 * there is no such name. */
uint64_t reeve_lock_token(const reeve_lock *l, size_t i);
/* How long until the store may give one of them to another, if not renewed; 0: it may have. */
int64_t reeve_lock_left_ms(const reeve_lock *l);
void reeve_lock_close(reeve_lock *l); /* lets all go */

/* ---- programs: what runs while a lease is held --------------------------------------- */
typedef struct reeve_program reeve_program;

/* From a thread of the program's; status as of waitpid(2). */
typedef void reeve_ended_fn(void *arg, int status);

struct reeve_program_options {
    size_t size;
    const char *const *argv;      /* NULL-ended; found by PATH, never by a shell */
    const char *const *variables; /* NULL-ended "NAME=value"s for its environment. NULL: none */
    reeve_ended_fn *ended;        /* may be NULL */
    void *arg;
    const void *input; /* what its stdin holds. NULL: ours */
    size_t input_size;
};

/* Runs it with our stdin, stdout, stderr and environment, as a child in a process group of its own.
 * However this process dies, the group dies with it, and whatever it leaves running dies when it
 * has ended. REEVE_ENOENT if there is no such program. */
int reeve_program_start(reeve_program **out, reeve *r, const struct reeve_program_options *options);
/* TERM now, KILL after grace_ms. Returns at once; calling it again may shorten the grace. */
void reeve_program_stop(reeve_program *p, int64_t grace_ms);
/* Until it has ended: 0 and *status (may be NULL), or REEVE_ETIMEDOUT. REEVE_NONE: for ever. */
int reeve_program_wait(reeve_program *p, int64_t timeout_ms, int *status);
void reeve_program_close(reeve_program *p); /* kills it if it still runs */

/* ---- streams: each owned by exactly one ---------------------------------------------- */
/* A stream is a name that somebody is to look after for long: a feed, a partition, a room. Streams
 * are offered to a group and shared out over its members. Each has at most one owner, who keeps it
 * until he ends it (it is gone), yields it, or goes silent: then it is handed out again. At least
 * once, as ever: whoever writes under an ownership should send its token along. */
enum reeve_stream_state { REEVE_STREAM_WAITING = 1, REEVE_STREAM_OWNED };
const char *reeve_stream_state_name(enum reeve_stream_state state); /* "waiting" ... */

struct reeve_stream {
    const char *group, *name;
    const void *info; /* as it was offered; a NUL stands behind it */
    size_t info_size;
    enum reeve_stream_state state;
    uint64_t retries;   /* how often it came back by a lapse or a failure */
    uint64_t token;     /* of the ownership; the latest while it waits; 0: never owned */
    const char *member; /* its owner, for people, or NULL */
    int64_t offered_at_ms, owned_at_ms; /* when it last came in line; since when it is owned */
    int64_t lease_until_ms;             /* unless it is renewed */
    bool yielding;                      /* its owner is asked to yield it */
};

struct reeve_letter { /* a stream that failed too often, or what could not be read */
    const char *group, *id;
    const char *name; /* "" if it could not be read */
    const void *info; /* or all of it, if it could not be read; a NUL stands behind it */
    size_t info_size;
    const char *reason; /* "max_retries_exceeded", "unparseable", or what its owner said */
    const char *member; /* the last owner, or NULL */
    uint64_t retries;
    int64_t failed_at_ms;
};

struct reeve_group {
    const char *name;
    uint64_t waiting, owned, failed, members;
    uint64_t offered_total, duplicates_total; /* taken in; known already */
    uint64_t taken_total, ended_total, yielded_total;
    uint64_t lapsed_total, requeued_total; /* ownerships that ran out; back in line by lapse, fault
                                            * or claim */
    uint64_t failed_total,
        unparseable_total; /* dead letters, and those of them that were garbage */
    uint64_t trimmed_total, purged_total, revived_total; /* dead letters that went, by which way */
    uint64_t fenced_total; /* ends and yields under an ownership that was over */
};

/* Flags of all calls about a group. */
enum {
    REEVE_COMPAT = 1, /* the published layout of Redis Streams (docs/streams.md); no effect on other
                       * stores */
    REEVE_HINTS = 2,  /* hear of lapses sooner: adds flags to a Redis server's settings */
};

struct reeve_offer {
    size_t size;
    const char *group, *name;
    const void *info; /* for its owners; at most 64 KiB */
    size_t info_size;
    unsigned flags;
};

/* *known (may be NULL): it waits or is owned already, and stays as it is. */
int reeve_stream_offer(reeve *r, const struct reeve_offer *offer, bool *known);

typedef struct reeve_member reeve_member;

/* All of a member's callbacks come from one thread of its own, one at a time, none after close has
 * returned. They may call anything but reeve_member_close(). While one runs, no other stream is
 * taken and no loss is told: return soon, and ask reeve_member_token() before what cannot be
 * undone.
 *   owned   Yours from now on, under stream->token.
 *   lost    No longer yours: stop work on it now. With RESIGNED somebody asked for it, or others
 *           have too few: it is renewed until you return, and only then given on. Never for what
 *           you end or yield yourself, and not on close.
 *   lapsed  Information: the ownership of somebody, whom it names, ran out.
 *   ended   The last call of a member: 0 closed, else why it gave up. */
typedef void reeve_stream_fn(void *arg, const struct reeve_stream *stream);
typedef void reeve_stream_lost_fn(void *arg, const struct reeve_stream *stream,
                                  enum reeve_lost why);
typedef void reeve_member_ended_fn(void *arg, int error, const char *text);
/* May this stream be yielded for the sake of others now? */
typedef bool reeve_stream_idle_fn(void *arg, const struct reeve_stream *stream);

struct reeve_member_options {
    size_t size;
    unsigned flags;
    int64_t max;         /* streams owned at once. 100, at most 10000 */
    int64_t lease_ms;    /* 30000, at least 100: how long one that dies keeps its streams */
    int64_t renew_ms;    /* a third of the lease, at most half */
    int64_t min_idle_ms; /* recover what was not renewed for so long. The lease, and no less; with
                          * REEVE_COMPAT twice the lease */
    int64_t
        max_retries;  /* lapses and failures before it is a dead letter. 5; REEVE_NONE: no bound */
    int64_t dead_max; /* dead letters kept. 10000; REEVE_NONE: no bound */
    int64_t scan_ms;  /* how often to look for dead owners, less up to a fifth. 5000, or half the
                          * lease if that is less */
    int64_t give_up_ms;              /* end if the store was away for so long. 0: never */
    bool rebalance;                  /* yield what is idle to members that have fewer */
    reeve_stream_fn *owned, *lapsed; /* all may be NULL */
    reeve_stream_lost_fn *lost;
    reeve_member_ended_fn *ended;
    reeve_stream_idle_fn *idle; /* NULL: every one is */
    void *arg;
};

/* Joins a group, and owns what it can of it until closed; a store that is away is waited for. *out
 * is set before anything is called. */
int reeve_member_open(reeve_member **out, reeve *r, const char *group,
                      const struct reeve_member_options *options);
const char *reeve_member_id(const reeve_member *m); /* random, of this member alone */
/* 0 if name is not this member's, from before its lease can lapse. Asks nobody: ask often. */
uint64_t reeve_member_token(reeve_member *m, const char *name);
/* It is done with: it goes. REEVE_EFENCED if it is not yours (any more). Renewed until the store
 * has confirmed it, so a call that failed may be repeated. */
int reeve_member_end(reeve_member *m, const char *name);
int reeve_member_yield(reeve_member *m, const char *name); /* to others, not counted; likewise */
/* Back in line as a failed attempt, or a dead letter with this reason; likewise. */
int reeve_member_fail(reeve_member *m, const char *name, const char *reason);
/* From now on it takes no more streams: for who ends those he has before he closes it. */
void reeve_member_drain(reeve_member *m);
/* Yields all and leaves the group. Whatever is done under them must have ended. */
void reeve_member_close(reeve_member *m);

struct reeve_member_stats {
    size_t size;
    uint64_t owned;
    uint64_t owned_total, ended_total, yielded_total, failed_total, lost_total;
    uint64_t settles_failed_total;                 /* ends, yields and failures not taken in */
    uint64_t takes_total, takes_failed_total;      /* calls */
    uint64_t renewed_total, renewals_failed_total; /* streams, of calls that did or did not */
    uint64_t scans_total, scans_failed_total;      /* calls */
    uint64_t requeued_total, dead_total, unparseable_total, alive_total; /* by these scans */
    uint64_t lapsed_total;                                               /* told of */
    uint64_t recovered_at_start; /* of requeued_total, by the scan that it began with */
    /* What calls took. */
    uint64_t take_us_total, take_us_max, renew_us_total, renew_us_max;
    uint64_t scan_us_total, scan_us_max, settle_us_total, settle_us_max;
    uint64_t start_us;                   /* the scan that it began with */
    uint64_t held_ms_total, held_ms_max; /* for how long streams were owned that are no more */
    /* Of the handle: hints heard, servers set up to tell them, and not; topology looked up anew by
     * reeve_reset_topology(). */
    uint64_t hints_total, listens_total, listens_failed_total, resets_total;
    int64_t degraded_since_ms; /* the store has not answered since; 0: all is well */
};
int reeve_member_stats(reeve_member *m, struct reeve_member_stats *out);

/* Asks that a dead owner's stream be handed out again now. Grants nothing: whoever gets it is told.
 * REEVE_ESTATE if its owner lives or it waits already (asked by another, perhaps), REEVE_ENOENT. */
int reeve_stream_claim(reeve *r, const char *group, unsigned flags, const char *name);

/* ---- streams: for people ---- */
int reeve_stream_read(reeve *r, const char *group, unsigned flags, const char *name,
                      struct reeve_stream **out);
typedef int reeve_stream_each_fn(void *arg, const struct reeve_stream *stream); /* nonzero stops */
/* state 0: any. In no particular order. */
int reeve_stream_list(reeve *r, const char *group, unsigned flags, enum reeve_stream_state state,
                      reeve_stream_each_fn *fn, void *arg);
/* Ends it whoever has it, and also while it waits; an owner is told lost. */
int reeve_stream_end(reeve *r, const char *group, unsigned flags, const char *name);
/* Asks its owner to yield it: its work ends first. REEVE_ESTATE if nobody owns it. */
int reeve_stream_recall(reeve *r, const char *group, unsigned flags, const char *name);

typedef int reeve_letter_fn(void *arg, const struct reeve_letter *letter); /* nonzero stops */
int reeve_letter_list(reeve *r, const char *group, unsigned flags, reeve_letter_fn *fn, void *arg);
/* Back in line, its count at 0. REEVE_ESTATE if its stream is there already, or cannot be read. */
int reeve_letter_revive(reeve *r, const char *group, unsigned flags, const char *id);
/* *removed (may be NULL): 0 if it was gone. */
int reeve_letter_purge(reeve *r, const char *group, unsigned flags, const char *id,
                       size_t *removed);

int reeve_group_read(reeve *r, const char *group, unsigned flags, struct reeve_group **out);
typedef int reeve_name_fn(void *arg, const char *name);       /* nonzero stops */
int reeve_group_list(reeve *r, reeve_name_fn *fn, void *arg); /* not those of REEVE_COMPAT */

struct reeve_member_info {
    const char *id, *name;
    uint64_t owned, max;
    int64_t joined_at_ms, seen_at_ms;
    const struct reeve_member_stats *stats; /* as it was last seen */
};
typedef int reeve_member_fn(void *arg, const struct reeve_member_info *member); /* nonzero stops */
int reeve_member_list(reeve *r, const char *group, unsigned flags, reeve_member_fn *fn, void *arg);

/* Forgets what was learnt of a store's servers, and looks again; subscriptions too. The library
 * does so by itself when it sees a change. */
int reeve_reset_topology(reeve *r);

#ifdef __cplusplus
}
#endif
#endif
