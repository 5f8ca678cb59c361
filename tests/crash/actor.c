/* actor push URL FIRST COUNT SIZE    pushes jobs jFIRST ... one by one
 * actor batch URL FIRST COUNT SIZE   the same, 50 at a time
 * actor work URL                     runs jobs until there are none
 * actor list URL                     what is there
 * actor inspect URL                  the same, and whether it is sound: while nobody is at it
 * actor hold URL                     has the write lock, and says so, until stdin ends
 *
 * $ACTOR_TIMEOUT_MS bounds its calls.
 * What the tests that kill, cut and fill do it to. A line on stdout is an acknowledgement: written,
 * unbuffered, when the store has answered. Exit codes as those of the command line: 0, 1 (unsound),
 * 2 (usage), 69 (unreachable), 70 (any other error), 75 (unsure). */
#include <reeve.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define QUEUE "q"
enum {
    BATCH = 50,
    ID_SIZE = 32,
    SIZE_MAX_OF_BODY = 1 << 20,
    LEASE_MS = 200,
    LOCK_WAIT_MS = 10000,
    KEEP_MS = 24 * 3600 * 1000
};

static int exit_code(int error) {
    if (!error) return 0;
    (void)fprintf(stderr, "%s: %s\n", reeve_errname(error), reeve_errmsg());
    if (error == REEVE_EUNREACHABLE) return 69;
    return error == REEVE_EUNSURE ? 75 : 70;
}

static void say(const char *line) {
    size_t size = strlen(line);
    if (write(STDOUT_FILENO, line, size) != (ssize_t)size) abort();
}

/* ---- pushing ---- */
static char body[SIZE_MAX_OF_BODY];

static struct reeve_push job(char id[ID_SIZE], long number, size_t size) {
    (void)snprintf(id, ID_SIZE, "j%ld", number);
    return (struct reeve_push){.size = sizeof(struct reeve_push),
                               .queue = QUEUE,
                               .id = id,
                               .body = body,
                               .body_size = size,
                               .attempts_max = 1000,
                               .backoff_ms = REEVE_NONE,
                               .keep_ms = KEEP_MS};
}

static void acknowledge(long number) {
    char line[ID_SIZE + 1];
    (void)snprintf(line, sizeof line, "j%ld\n", number);
    say(line);
}

/* batch jobs per call, each told once the call is back. */
static int push(reeve *r, long first, long count, size_t size, long batch) {
    struct reeve_push jobs[BATCH];
    struct reeve_pushed outs[BATCH];
    char ids[BATCH][ID_SIZE];
    for (long done = 0; done < count; done += batch) {
        for (long i = 0; i < batch; i++) {
            jobs[i] = job(ids[i], first + done + i, size);
            outs[i] = (struct reeve_pushed){.size = sizeof outs[i]};
        }
        int rc = reeve_push_many(r, jobs, (size_t)batch, outs);
        for (long i = 0; i < batch; i++) {
            if (!outs[i].error) acknowledge(first + done + i);
            reeve_free(outs[i].done);
        }
        if (rc) return rc;
    }
    return 0;
}

/* ---- working ---- */
static enum reeve_verdict handle(void *arg, reeve_task *task) {
    char line[128];
    (void)arg;
    (void)snprintf(line, sizeof line, "%s %d\n", reeve_task_job(task)->id,
                   reeve_task_job(task)->attempt);
    say(line);
    return REEVE_SUCCEED;
}

static int work(reeve *r) {
    static const char *const queues[] = {QUEUE, NULL};
    struct reeve_worker_options options = {.size = sizeof options,
                                           .queues = queues,
                                           .threads = 4,
                                           .lease_ms = LEASE_MS,
                                           .until_empty = true};
    reeve_worker *worker;
    int rc = reeve_worker_open(&worker, r, &options);
    if (!rc) rc = reeve_worker_handle(worker, NULL, handle, NULL);
    if (!rc) rc = reeve_worker_start(worker);
    if (!rc) rc = reeve_worker_wait(worker, REEVE_NONE);
    reeve_worker_close(worker);
    return rc;
}

/* ---- inspecting ---- */
/* Opens the file that url names, as a stranger. NULL: it cannot be. */
static sqlite3 *open_file(const char *url) {
    char path[4096];
    sqlite3 *db = NULL;
    (void)snprintf(path, sizeof path, "%s", strchr(url, ':') + 1);
    path[strcspn(path, "?")] = '\0';
    if (!sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL)) return db;
    (void)sqlite3_close(db);
    return NULL;
}

/* SQLite's own check of the file. */
static int check_integrity(const char *url) {
    sqlite3 *db = open_file(url);
    sqlite3_stmt *stmt = NULL;
    const char *verdict = "cannot be asked";
    if (db && !sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &stmt, NULL) &&
        sqlite3_step(stmt) == SQLITE_ROW)
        verdict = (const char *)sqlite3_column_text(stmt, 0);
    int unsound = strcmp(verdict, "ok");
    if (unsound) (void)printf("integrity: %s\n", verdict);
    (void)sqlite3_finalize(stmt);
    (void)sqlite3_close(db);
    return unsound;
}

struct count {
    uint64_t of[REEVE_CANCELLED + 1];
};

static int show_job(void *arg, const struct reeve_job *seen) {
    ((struct count *)arg)->of[seen->state]++;
    (void)printf("job %s %s %d\n", seen->id, reeve_state_name(seen->state), seen->attempt);
    return 0;
}

static int list_jobs(reeve *r, struct count *count) {
    struct reeve_filter filter = {.size = sizeof filter, .queue = QUEUE, .limit = 1000};
    char *cursor = NULL;
    int rc;
    do {
        char *next = NULL;
        filter.after = cursor;
        rc = reeve_list(r, &filter, show_job, count, &next);
        reeve_free(cursor);
        cursor = next;
    } while (!rc && cursor);
    return rc;
}

static int list(reeve *r) {
    struct count count = {0};
    return exit_code(list_jobs(r, &count));
}

static int inspect(reeve *r, const char *url) {
    struct count count = {0};
    struct reeve_queue *q = NULL;
    int rc = list_jobs(r, &count);
    if (!rc) rc = reeve_queue_read(r, QUEUE, &q);
    if (rc == REEVE_ENOENT) return check_integrity(url) ? 1 : 0; /* nothing was pushed yet */
    if (rc) return exit_code(rc);
    const uint64_t told[] = {0, q->delayed, q->ready, q->running, q->done, q->failed, q->cancelled};
    int unsound = check_integrity(url);
    for (int state = REEVE_DELAYED; state <= REEVE_CANCELLED; state++) {
        if (told[state] == count.of[state]) continue;
        (void)printf("counts: %d %s jobs, told are %d\n", (int)count.of[state],
                     reeve_state_name((enum reeve_state)state), (int)told[state]);
        unsound = 1;
    }
    (void)printf("queue pushed=%d finished=%d fenced=%d\n", (int)q->pushed_total,
                 (int)q->finished_total, (int)q->fenced_total);
    reeve_free(q);
    return unsound ? 1 : 0;
}

/* ---- holding ---- */
static int hold(const char *url) {
    char end;
    sqlite3 *db = open_file(url);
    if (db) (void)sqlite3_busy_timeout(db, LOCK_WAIT_MS);
    if (!db || sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL)) return 70;
    say("held\n");
    while (read(STDIN_FILENO, &end, 1) > 0)
        continue;
    (void)sqlite3_close(db);
    return 0;
}

int main(int argc, char **argv) {
    const char *verb = argc > 2 ? argv[1] : "";
    const char *timeout = getenv("ACTOR_TIMEOUT_MS");
    struct reeve_options options = {.size = sizeof options,
                                    .log_level = REEVE_LOG_ERROR,
                                    .timeout_ms = timeout ? atol(timeout) : 0};
    bool pushes = strcmp(verb, "push") == 0 || strcmp(verb, "batch") == 0;
    if (argc != (pushes ? 6 : 3)) {
        (void)fprintf(
            stderr,
            "usage: actor push|batch URL FIRST COUNT SIZE, actor work|list|inspect|hold URL\n");
        return 2;
    }
    if (strcmp(verb, "hold") == 0) return hold(argv[2]);
    reeve *r;
    int rc = reeve_open(&r, argv[2], &options);
    if (rc) return exit_code(rc);
    if (pushes)
        rc = exit_code(
            push(r, atol(argv[3]), atol(argv[4]), (size_t)atol(argv[5]), *verb == 'b' ? BATCH : 1));
    else
        rc = strcmp(verb, "work") == 0   ? exit_code(work(r))
             : strcmp(verb, "list") == 0 ? list(r)
                                         : inspect(r, argv[2]);
    reeve_close(r);
    return rc;
}
