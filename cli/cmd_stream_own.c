#include "charge.h"
#include "commands.h"
#include "exit.h"
#include "notify.h"
#include "own.h"
#include "patience.h"
#include "signals.h"
#include "stream.h"

enum { RETRY_MS = 500 }; /* a stream that could not be settled is tried again */

static bool is_stop(int signal) {
    return signal == SIGTERM || signal == SIGINT || signal == SIGQUIT;
}

/* Until it is told to end, or cannot go on. Returns an exit code. */
static int wait_for_end(struct own *own, const sigset_t *set) {
    bool left = false;
    for (;;) {
        if (is_stop(signals_take(set, left ? RETRY_MS : -1))) return EXIT_DONE;
        if (atomic_load(&own->broken)) return atomic_load(&own->broken);
        left = own_settle(own);
    }
}

/* Programs may take their time to end; a second signal cuts that short. What cannot be settled for
 * longer than that is left to the member, which yields it, or to its lease. */
static void stop(struct own *own, const sigset_t *set) {
    int64_t left_ms = CHARGE_GRACE_MS + RETRY_MS;
    notify("STOPPING=1");
    own_stop_all(own, CHARGE_GRACE_MS);
    for (; own_settle(own) && left_ms > 0; left_ms -= RETRY_MS)
        if (is_stop(signals_take(set, RETRY_MS))) own_stop_all(own, 0);
    reeve_member_close(own->member);
    own_forget(own);
}

static int serve(struct own *own, struct reeve_member_options *options, const sigset_t *set) {
    own_init(own);
    own->lease_ms = options->lease_ms ? options->lease_ms : 30000;
    options->owned = own_owned;
    options->lost = own_lost;
    options->ended = own_ended;
    options->arg = own;
    int rc = reeve_member_open(&own->member, own->r, own->group, options);
    if (rc) {
        own_release(own);
        return fail_api(rc);
    }
    notify("READY=1");
    int exit_code = wait_for_end(own, set);
    stop(own, set);
    own_release(own);
    return exit_code;
}

static int run(struct cli *cli, int argc, char **argv) {
    struct reeve_member_options options = {.size = sizeof options};
    struct own own = {0};
    bool compat = false, hints = false;
    int max = 0;
    struct arg args[] = {
        arg_int("max", &max, 1, 10000, "own at most so many at once (100)"),
        arg_duration("lease", &options.lease_ms, 100, ARG_DAY_MS,
                     "how long one that dies keeps its streams (30s)"),
        arg_duration("renew", &options.renew_ms, 1, ARG_DAY_MS,
                     "how often it renews that (a third of the lease)"),
        arg_duration("min-idle", &options.min_idle_ms, 1, ARG_DAY_MS,
                     "recover what was not renewed for so long (the lease)"),
        arg_duration("scan", &options.scan_ms, 10, ARG_DAY_MS,
                     "how often to look for dead owners (5s)"),
        arg_bound("max-retries", &options.max_retries, "failures before it is a dead letter (5)"),
        arg_bound("dead-max", &options.dead_max, "dead letters kept (10000)"),
        arg_duration("give-up", &options.give_up_ms, 1, ARG_DAY_MS,
                     "end if the store is away for so long (never)"),
        arg_flag("rebalance", &options.rebalance, "yield to members that have fewer"),
        arg_flag("hints", &hints, "hear of lapses sooner: changes a Redis server's settings"),
        stream_compat(&compat),
        {0},
    };
    struct operands operands;
    sigset_t set;
    int exit_code;
    if (!args_parse(cli, args, argc, argv, &operands, &exit_code)) return exit_code;
    if (operands.count != 1) return fail_usage("stream own: one GROUP is expected");
    if (!operands.rest || !operands.rest[0]) return fail_usage("stream own: no program after --");
    own.group = operands.items[0];
    own.argv = operands.rest;
    options.max = max;
    options.flags = (compat ? REEVE_COMPAT : 0U) | (hints ? REEVE_HINTS : 0U);
    signals_block_ends(&set);
    own.r = patience_open(cli, &set, &exit_code);
    if (own.r) exit_code = serve(&own, &options, &set);
    reeve_close(own.r);
    return exit_code;
}

const struct cmd cmd_stream_own = {
    .name = "stream own",
    .summary = "own streams of a group, and run a program for each",
    .usage = "Usage: reeve stream own GROUP [OPTIONS] -- CMD [ARG...]\n"
             "\n"
             "Runs CMD, without a shell, for each stream owned, with REEVE_STREAM, REEVE_GROUP,\n"
             "REEVE_TOKEN and REEVE_RETRIES set and the stream's info on stdin. Exit 0 ends\n"
             "the stream, 75 yields it, any other end is a failed attempt. CMD is stopped\n"
             "(TERM, then KILL) before another can own its stream.\n",
    .notes = "Signals: TERM, INT, QUIT: stop all programs, yield all streams, end; a second\n"
             "one kills the programs.\n",
    .run = run,
};
