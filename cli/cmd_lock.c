#include <inttypes.h>
#include <stdio.h>

#include "args.h"
#include "charge.h"
#include "commands.h"
#include "exit.h"
#include "signals.h"

struct guarded {
    reeve_lock *lock;
    struct charge charge;
    atomic_bool ready; /* the charge is */
    atomic_bool lost;
};

static void note_loss(void *arg, const char *name) {
    struct guarded *guarded = arg;
    (void)name;
    atomic_store(&guarded->lost, true);
    if (atomic_load(&guarded->ready)) charge_tell(&guarded->charge);
}

static const char *list_tokens(const reeve_lock *lock, int count, char out[CHARGE_VARIABLE_SIZE]) {
    int size = snprintf(out, CHARGE_VARIABLE_SIZE, "REEVE_TOKEN=");
    for (int i = 0; i < count && size < CHARGE_VARIABLE_SIZE; i++)
        size += snprintf(out + size, (size_t)(CHARGE_VARIABLE_SIZE - size), "%s%" PRIu64,
                         i ? " " : "", reeve_lock_token(lock, (size_t)i));
    return out;
}

/* The program ends by itself, because it was told to, or because a lock was lost. */
static int wait_for_end(struct guarded *guarded, const sigset_t *set) {
    struct charge *charge = &guarded->charge;
    int stops = 0;
    while (!atomic_load(&charge->ended)) {
        if (atomic_load(&guarded->lost)) {
            charge_stop(charge, reeve_lock_left_ms(guarded->lock) / 2);
            return fail(EXIT_FENCED, "the lock is lost: the program was stopped");
        }
        int signal = signals_take(set, -1);
        if (signal != SIGTERM && signal != SIGINT && signal != SIGQUIT) continue;
        if (stops++)
            charge_hurry(charge);
        else
            charge_ask(charge, CHARGE_GRACE_MS);
    }
    charge_stop(charge, 0);
    return atomic_load(&charge->status);
}

static int run_guarded(struct guarded *guarded, int count) {
    char tokens[CHARGE_VARIABLE_SIZE];
    sigset_t set;
    signals_block_ends(&set);
    atomic_store(&guarded->ready, true);
    int exit_code = charge_start(&guarded->charge, list_tokens(guarded->lock, count, tokens));
    return exit_code ? exit_code : wait_for_end(guarded, &set);
}

static int take_and_run(reeve *r, const struct operands *operands,
                        struct reeve_lock_options *options) {
    struct guarded guarded = {0};
    charge_init(&guarded.charge, r, operands->rest);
    options->lost = note_loss;
    options->arg = &guarded;
    int rc = reeve_lock_open(&guarded.lock, r, (const char *const *)operands->items, options);
    int exit_code = rc ? fail_api(rc) : run_guarded(&guarded, operands->count);
    reeve_lock_close(guarded.lock);
    charge_release(&guarded.charge);
    return exit_code;
}

static int run(struct cli *cli, int argc, char **argv) {
    struct reeve_lock_options options = {.size = sizeof options, .wait_ms = ARG_UNSET};
    struct arg args[] = {
        arg_duration("wait", &options.wait_ms, 0, 365 * ARG_DAY_MS,
                     "how long to wait for all of them (for ever); 0s: not at all"),
        arg_duration("ttl", &options.lease_ms, 100, ARG_DAY_MS,
                     "how long they stay locked by one that dies (30s)"),
        {0},
    };
    struct operands operands;
    int exit_code;
    if (!args_parse(cli, args, argc, argv, &operands, &exit_code)) return exit_code;
    if (!operands.count) return fail_usage("lock: no NAME");
    if (!operands.rest || !operands.rest[0]) return fail_usage("lock: no program after --");
    options.wait_ms = options.wait_ms == ARG_UNSET ? 0
                      : options.wait_ms            ? options.wait_ms
                                                   : REEVE_NONE;
    reeve *r = cli_open(cli, &exit_code);
    if (r) exit_code = take_and_run(r, &operands, &options);
    reeve_close(r);
    return exit_code;
}

const struct cmd cmd_lock = {
    .name = "lock",
    .summary = "run a program while no other runs under the same names",
    .usage = "Usage: reeve lock NAME... [OPTIONS] -- CMD [ARG...]\n"
             "\n"
             "Waits until it holds all names, in its turn, then runs CMD, without a shell,\n"
             "with their tokens in REEVE_TOKEN, in the order of the names' bytes. Ends with\n"
             "the exit status of CMD; 4 if the names were not had in time; 5 if one was lost\n"
             "while CMD ran, which is stopped then.\n",
    .notes = "Signals: TERM, INT, QUIT: stop CMD (TERM, then KILL after 25s) and end; a second\n"
             "one kills it.\n",
    .run = run,
};
