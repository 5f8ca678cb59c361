#include "work/environment.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/texts.h"

extern char **environ;

/* ---- what is left out ---- */

/* Credentials: reeve(7) lists them for people. */
static const char *const secret_names[] = {"REEVE_STORE",   "REDIS_URL", "DATABASE_URL",
                                           "REDISCLI_AUTH", "MYSQL_PWD", "SECRET_KEY_BASE"};
static const char *const secret_ends[] = {"PASSWORD",   "PASSWD",      "PASSPHRASE", "_PASS",
                                          "SECRET",     "TOKEN",       "API_KEY",    "SECRET_KEY",
                                          "ACCESS_KEY", "PRIVATE_KEY", "CREDENTIALS"};
/* What the worker alone has to say to its service manager, sd_notify(3). */
static const char *const notify_names[] = {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"};
static const char *const own_names[] = {"REEVE_QUEUE",   "REEVE_ID",           "REEVE_KIND",
                                        "REEVE_ATTEMPT", "REEVE_ATTEMPTS_MAX", "REEVE_TOKEN",
                                        "REEVE_LEASE",   "REEVE_WORKER",       "REEVE_DEADLINE_MS",
                                        "REEVE_RUN",     "REEVE_SOCKET"};

enum {
    SECRET_NAMES = sizeof secret_names / sizeof *secret_names,
    SECRET_ENDS = sizeof secret_ends / sizeof *secret_ends,
    NOTIFY_COUNT = sizeof notify_names / sizeof *notify_names,
    OWN_COUNT = sizeof own_names / sizeof *own_names,
};

static bool is_one_of(const char *name, size_t size, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strlen(names[i]) == size && !strncasecmp(names[i], name, size)) return true;
    }
    return false;
}

static bool ends_secretly(const char *name, size_t size) {
    for (size_t i = 0; i < SECRET_ENDS; i++) {
        size_t end = strlen(secret_ends[i]);
        if (size >= end && !strncasecmp(name + size - end, secret_ends[i], end)) return true;
    }
    return false;
}

/* scheme://user:password@host */
static bool has_url_password(const char *value) {
    const char *at = strstr(value, "://");
    if (!at) return false;
    size_t size = strcspn(at + 3, "/?#");
    const char *user = at + 3, *host = memchr(user, '@', size);
    return host && memchr(user, ':', (size_t)(host - user));
}

static bool is_left_out(const char *variable) {
    size_t size = strcspn(variable, "=");
    return is_one_of(variable, size, secret_names, SECRET_NAMES) ||
           is_one_of(variable, size, notify_names, NOTIFY_COUNT) ||
           is_one_of(variable, size, own_names, OWN_COUNT) || ends_secretly(variable, size) ||
           has_url_password(variable);
}

int rv_environment_init(struct rv_environment *environment, const char *mark, const char *socket) {
    size_t all = 0, kept = 0;
    while (environ && environ[all])
        all++;
    const char **names = calloc(all + 1, sizeof *names);
    if (!names) return REEVE_ENOMEM;
    for (size_t i = 0; i < all; i++) {
        if (!is_left_out(environ[i])) names[kept++] = environ[i];
    }
    environment->base = rv_texts_copy(names);
    environment->count = kept;
    environment->mark = mark;
    environment->socket = socket;
    free(names);
    return environment->base ? 0 : REEVE_ENOMEM;
}

void rv_environment_release(struct rv_environment *environment) {
    free(environment->base);
    environment->base = NULL;
}

/* ---- of one attempt ---- */

struct writer {
    char *at;
    size_t left;
    char **next;
};

__attribute__((format(printf, 2, 3))) static void put(struct writer *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int size = vsnprintf(w->at, w->left, format, args);
    va_end(args);
    *w->next++ = w->at;
    w->at += size + 1;
    w->left -= (size_t)size + 1;
}

static int64_t deadline_ms(const struct reeve_task *task) {
    const struct rv_clock *clock = &task->service->clock;
    if (task->timeout_at_ms == INT64_MAX) return 0;
    return rv_clock_wall_ms(clock) + task->timeout_at_ms - rv_clock_boot_ms(clock);
}

static void put_own(struct writer *w, const struct rv_environment *environment,
                    const struct reeve_task *task, uint64_t run) {
    const struct reeve_job *job = task->job;
    put(w, "REEVE_QUEUE=%s", job->queue);
    put(w, "REEVE_ID=%s", job->id);
    put(w, "REEVE_KIND=%s", job->kind);
    put(w, "REEVE_ATTEMPT=%d", job->attempt);
    put(w, "REEVE_ATTEMPTS_MAX=%d", job->attempts_max);
    put(w, "REEVE_TOKEN=%" PRIu64, job->token);
    put(w, "REEVE_LEASE=%" PRIu64 ".%" PRIu64, job->token, task->hold.claim->holder);
    put(w, "REEVE_WORKER=%s", task->service->name);
    put(w, "REEVE_DEADLINE_MS=%" PRId64, deadline_ms(task));
    put(w, "%s%" PRIu64, environment->mark, run);
    if (environment->socket) put(w, "REEVE_SOCKET=%s", environment->socket);
}

char **rv_environment_make(const struct rv_environment *environment, const struct reeve_task *task,
                           uint64_t run) {
    size_t socket_size = environment->socket ? strlen(environment->socket) : 0;
    size_t text_max = OWN_COUNT * 64 + 2 * REEVE_NAME_SIZE + 2 * (size_t)REEVE_ID_SIZE +
                      strlen(environment->mark) + socket_size;
    size_t pointers = environment->count + OWN_COUNT + 1;
    char **variables = malloc(pointers * sizeof *variables + text_max);
    if (!variables) return NULL;
    memcpy(variables, environment->base, environment->count * sizeof *variables);
    struct writer w = {.at = (char *)(variables + pointers),
                       .left = text_max,
                       .next = variables + environment->count};
    put_own(&w, environment, task, run);
    *w.next = NULL;
    return variables;
}

/* ---- where programs are ---- */

static const char *search_path(const struct rv_environment *environment) {
    for (size_t i = 0; i < environment->count; i++) {
        if (!strncmp(environment->base[i], "PATH=", 5)) return environment->base[i] + 5;
    }
    return "/usr/local/bin:/usr/bin:/bin";
}

static int check_program(const char *file) {
    struct stat status;
    if (stat(file, &status)) return errno;
    return S_ISREG(status.st_mode) && !access(file, X_OK) ? 0 : EACCES;
}

int rv_environment_find(const struct rv_environment *environment, const char *name, char *out,
                        size_t out_size) {
    int found = ENOENT;
    if (strchr(name, '/'))
        return snprintf(out, out_size, "%s", name) < (int)out_size ? check_program(out)
                                                                   : ENAMETOOLONG;
    for (const char *at = search_path(environment); at; at = strchr(at, ':')) {
        if (*at == ':') at++;
        int folder = (int)strcspn(at, ":");
        int size = snprintf(out, out_size, "%.*s%s%s", folder, at, folder ? "/" : "", name);
        int rc = size < (int)out_size ? check_program(out) : ENAMETOOLONG;
        if (!rc) return 0;
        if (rc == EACCES) found = EACCES; /* there, but not ours to run: worth telling */
    }
    return found;
}
