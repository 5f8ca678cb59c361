#include "supervise.h"

#include <stdio.h>

#include "exit.h"
#include "notify.h"
#include "patience.h"
#include "signals.h"

enum {
    HEALTHY_MS = 45000, /* a worker asks its store every 30 s at least, and then some */
    SHIFTS_MAX = 8,     /* that are still at work when another takes over: each has its threads */
};

struct supervisor {
    const struct cli *cli;
    int argc;
    char *const *argv;
    sigset_t set;
    struct shift *shifts; /* the latest first; the others are on their way home */
    bool quiet;
    bool reload_at_cont; /* one that starts in the quiet would claim before it is told */
    int stops;           /* how often it was told to end */
    int64_t watchdog_ms; /* between two words to the watchdog; 0: it wants none */
};

static bool is_stop(int signal) {
    return signal == SIGTERM || signal == SIGINT || signal == SIGQUIT;
}

/* ---- changing shifts ---- */

static bool may_reload(const struct supervisor *s) {
    const struct shift *latest = s->shifts;
    int count = 0;
    for (const struct shift *shift = latest; shift; shift = shift->next)
        count++;
    const char *why = s->stops                       ? "it is about to end"
                      : !latest->options.config_path ? "there is no --config to be read again"
                      : latest->options.once         ? "with --once there is one job and no more"
                      : count > SHIFTS_MAX ? "too many earlier ones still have jobs to finish"
                                           : NULL;
    if (why) (void)fail(EXIT_DONE, "HUP: %s", why);
    return !why;
}

static struct shift *start_another(const struct supervisor *s) {
    int exit_code;
    struct shift *shift = shift_create(s->cli, s->argc, s->argv, &exit_code);
    if (!shift) return NULL;
    if (!shift_open(shift, false) && !shift_start(shift)) return shift;
    shift_destroy(shift);
    return NULL;
}

/* The new one claims before the old one stops to: no queue is ever left alone. What the old one
 * has in hand it finishes, however long that takes. */
static void reload(struct supervisor *s) {
    if (!may_reload(s)) return;
    notify_reloading();
    struct shift *latest = start_another(s);
    if (latest) {
        reeve_worker_stop(s->shifts->worker, INT64_MAX);
        latest->next = s->shifts;
        s->shifts = latest;
    }
    (void)fputs(latest ? "reloaded\n" : "reeve: the settings stay as they were\n", stderr);
    notify("READY=1");
}

/* ---- signals ---- */

static void stop_all(struct supervisor *s, bool at_once) {
    notify("STOPPING=1");
    for (struct shift *shift = s->shifts; shift; shift = shift->next)
        reeve_worker_stop(shift->worker, at_once ? 0 : shift->options.grace_ms);
    s->stops++;
}

/* A reload that was put off comes first: what is to go home claims nothing any more. */
static void set_quiet(struct supervisor *s, bool quiet) {
    s->quiet = quiet;
    if (!quiet && s->reload_at_cont) {
        s->reload_at_cont = false;
        reload(s);
    }
    for (struct shift *shift = s->shifts; shift; shift = shift->next)
        reeve_worker_quiet(shift->worker, quiet);
}

static void let_go(struct supervisor *s) {
    for (struct shift **at = &s->shifts; *at;) {
        struct shift *shift = *at;
        if (!atomic_load(&shift->ended)) {
            at = &shift->next;
            continue;
        }
        *at = shift->next;
        shift_destroy(shift);
    }
}

/* Not that the process lives: that its store has answered lately, is what the watchdog is told. */
static void feed_watchdog(const struct supervisor *s) {
    struct reeve_worker_stats stats = {.size = sizeof stats};
    int64_t healthy_ms = 2 * s->watchdog_ms > HEALTHY_MS ? 2 * s->watchdog_ms : HEALTHY_MS;
    if (!reeve_worker_stats(s->shifts->worker, &stats) && stats.since_claim_ms <= healthy_ms)
        notify("WATCHDOG=1");
}

static void obey(struct supervisor *s, int signal) {
    if (is_stop(signal))
        stop_all(s, signal == SIGQUIT || s->stops > 0);
    else if (signal == SIGTSTP || signal == SIGCONT)
        set_quiet(s, signal == SIGTSTP);
    else if (signal == SIGHUP && s->quiet)
        s->reload_at_cont = true;
    else if (signal == SIGHUP)
        reload(s);
    else if (signal == SIGUSR1)
        let_go(s);
    else if (signal == SIGTTIN)
        for (struct shift *shift = s->shifts; shift; shift = shift->next)
            reeve_worker_dump(shift->worker);
    else
        feed_watchdog(s);
}

/* ---- from the first to the last ---- */

/* A store that is away is waited for, and that is said once. *first changes on HUP. */
static int open_patiently(struct supervisor *s, struct shift **first) {
    int64_t wait_ms = 0;
    int exit_code = shift_open(*first, false);
    patience_begin(s->cli, exit_code);
    while (exit_code == EXIT_UNREACHABLE) {
        int signal = signals_take(&s->set, patience_next_ms(&wait_ms)), ignored;
        if (is_stop(signal)) break;
        if (signal == SIGTSTP || signal == SIGCONT) s->quiet = signal == SIGTSTP;
        struct shift *other =
            signal == SIGHUP ? shift_create(s->cli, s->argc, s->argv, &ignored) : NULL;
        if (other) {
            shift_destroy(*first);
            *first = other;
        }
        exit_code = shift_open(*first, !other);
    }
    return exit_code;
}

static int work(struct supervisor *s) {
    int exit_code = shift_start(s->shifts);
    if (exit_code) return exit_code;
    if (s->quiet) set_quiet(s, true);
    (void)fputs("ready\n", stderr);
    notify("READY=1");
    s->watchdog_ms = notify_watchdog_ms();
    while (s->shifts)
        obey(s, signals_take(&s->set, s->watchdog_ms ? s->watchdog_ms : -1));
    return EXIT_DONE;
}

int supervise(const struct cli *cli, int argc, char *const *argv, struct shift *first) {
    struct supervisor s = {.cli = cli, .argc = argc, .argv = argv};
    signals_block(&s.set);
    int exit_code = open_patiently(&s, &first);
    s.shifts = first;
    if (!exit_code) exit_code = work(&s);
    for (struct shift *next; s.shifts; s.shifts = next) {
        next = s.shifts->next;
        shift_destroy(s.shifts);
    }
    return exit_code;
}
