#include <inttypes.h>
#include <stdio.h>

#include "args.h"
#include "charge.h"
#include "commands.h"
#include "exit.h"
#include "notify.h"
#include "patience.h"
#include "signals.h"

struct lead {
    const char *name;
    struct reeve_leader_options options;
    bool once;
    struct charge charge;
    reeve_leader *leader;
    atomic_int broken; /* the program could not be started: an exit code */
    pthread_t closer;
    atomic_bool closed;
};

static bool is_stop(int signal) {
    return signal == SIGTERM || signal == SIGINT || signal == SIGQUIT;
}

/* ---- called by the leader ---- */

static void gain(void *arg, uint64_t term) {
    struct lead *lead = arg;
    char variable[CHARGE_VARIABLE_SIZE];
    (void)snprintf(variable, sizeof variable, "REEVE_TERM=%" PRIu64, term);
    int exit_code = charge_start(&lead->charge, variable);
    if (!exit_code) return;
    atomic_store(&lead->broken, exit_code);
    charge_tell(&lead->charge);
}

/* How long the program has between TERM and KILL: as long as it likes while the lease is renewed,
 * but all is over before it can lapse. Once it has, whatever the program does does harm. */
static int64_t grace_of(struct lead *lead, enum reeve_lost why) {
    if (why == REEVE_LOST_CLOSED || why == REEVE_LOST_RESIGNED) return CHARGE_GRACE_MS;
    return why == REEVE_LOST_EXPIRED ? reeve_leader_left_ms(lead->leader) / 2 : 0;
}

static void lose(void *arg, enum reeve_lost why) {
    struct lead *lead = arg;
    charge_stop(&lead->charge, grace_of(lead, why));
}

/* ---- the main thread ---- */

static void *close_leader(void *arg) {
    struct lead *lead = arg;
    reeve_leader_close(lead->leader);
    atomic_store(&lead->closed, true);
    charge_tell(&lead->charge);
    return NULL;
}

/* The program may take its time to end; a second signal cuts that short. */
static int stop(struct lead *lead, const sigset_t *set) {
    notify("STOPPING=1");
    if (pthread_create(&lead->closer, NULL, close_leader, lead)) {
        (void)close_leader(lead);
        return EXIT_DONE;
    }
    while (!atomic_load(&lead->closed))
        if (is_stop(signals_take(set, -1))) charge_hurry(&lead->charge);
    (void)pthread_join(lead->closer, NULL);
    return EXIT_DONE;
}

/* Until it is told to end or, with --once, the program has. Returns an exit code. */
static int wait_for_end(struct lead *lead, const sigset_t *set) {
    for (;;) {
        int signal = signals_take(set, -1);
        if (is_stop(signal)) return EXIT_DONE;
        if (atomic_load(&lead->broken)) return atomic_load(&lead->broken);
        if (!atomic_exchange(&lead->charge.ended, false)) continue;
        if (lead->once) return atomic_load(&lead->charge.status);
        (void)reeve_leader_resign(lead->leader); /* others go first, then again */
    }
}

static int contend(struct lead *lead, reeve *r, char *const *argv, const sigset_t *set) {
    charge_init(&lead->charge, r, argv);
    lead->options.gained = gain;
    lead->options.lost = lose;
    lead->options.arg = lead;
    int rc = reeve_leader_open(&lead->leader, r, lead->name, &lead->options);
    if (rc) return fail_api(rc);
    notify("READY=1");
    int exit_code = wait_for_end(lead, set);
    (void)stop(lead, set);
    charge_release(&lead->charge);
    return exit_code;
}

static int run(struct cli *cli, int argc, char **argv) {
    struct lead lead = {.options = {.size = sizeof lead.options}};
    struct arg args[] = {
        arg_duration("ttl", &lead.options.lease_ms, 100, ARG_DAY_MS,
                     "how long a leader that dies stays one (30s)"),
        arg_duration("renew", &lead.options.renew_ms, 1, ARG_DAY_MS,
                     "how often it renews that (a third of the ttl)"),
        arg_duration("retry", &lead.options.retry_ms, 1, ARG_DAY_MS,
                     "how often one that does not lead looks (5s)"),
        arg_flag("once", &lead.once, "end when CMD ends, with its exit status"),
        {0},
    };
    struct operands operands;
    sigset_t set;
    int exit_code;
    if (!args_parse(cli, args, argc, argv, &operands, &exit_code)) return exit_code;
    if (operands.count != 1) return fail_usage("lead: one NAME is expected");
    if (!operands.rest || !operands.rest[0]) return fail_usage("lead: no program after --");
    lead.name = operands.items[0];
    signals_block_ends(&set);
    reeve *r = patience_open(cli, &set, &exit_code);
    if (r) exit_code = contend(&lead, r, operands.rest, &set);
    reeve_close(r);
    return exit_code;
}

const struct cmd cmd_lead = {
    .name = "lead",
    .summary = "run a program on exactly one of many hosts",
    .usage = "Usage: reeve lead NAME [OPTIONS] -- CMD [ARG...]\n"
             "\n"
             "Waits until this process leads NAME, then runs CMD, without a shell, with the\n"
             "term in REEVE_TERM: a number that only grows. CMD is stopped (TERM, then KILL)\n"
             "before another can lead. When it ends by itself, others go first for the time\n"
             "of --retry, and then this process contends again.\n",
    .notes = "Signals: TERM, INT, QUIT: stop CMD, give NAME to another, end; a second one\n"
             "kills CMD.\n",
    .run = run,
};
