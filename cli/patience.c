#include "patience.h"

#include "exit.h"
#include "signals.h"

/* At most: servers that follow one another take some seconds, and then nobody should sleep on. */
enum { RETRY_MS = 250, RETRY_MS_MAX = 2000 };

int64_t patience_next_ms(int64_t *wait_ms) {
    *wait_ms = *wait_ms ? 2 * *wait_ms : RETRY_MS;
    if (*wait_ms > RETRY_MS_MAX) *wait_ms = RETRY_MS_MAX;
    return *wait_ms;
}

void patience_begin(const struct cli *cli, int exit_code) {
    if (exit_code == EXIT_UNREACHABLE && !cli->quiet)
        (void)fail(exit_code, "waiting for the store");
}

reeve *patience_open(struct cli *cli, const sigset_t *set, int *exit_code) {
    int64_t wait_ms = 0;
    reeve *r = cli_open(cli, exit_code);
    if (!r) patience_begin(cli, *exit_code);
    while (!r && *exit_code == EXIT_UNREACHABLE) {
        int signal = signals_take(set, patience_next_ms(&wait_ms));
        if (signal == SIGTERM || signal == SIGINT || signal == SIGQUIT) break;
        cli->silent = true;
        r = cli_open(cli, exit_code);
    }
    return r;
}
