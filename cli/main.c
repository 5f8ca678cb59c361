/* reeve - the command line. Finds the command, runs it, and ends with its exit code. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "exit.h"
#include "find.h"
#include "help.h"

static void on_interrupt(int signal) {
    (void)signal;
    _exit(EXIT_INTERRUPTED);
}

/* A reader who goes away, or a file that may not grow, shows as an error of the write; ^C ends
 * every command that does not take signals in hand itself with 130, also where a shell has it
 * ignored for what runs in the background. */
static void set_signals(void) {
    struct sigaction ignore = {.sa_handler = SIG_IGN}, interrupt = {.sa_handler = on_interrupt};
    (void)sigaction(SIGPIPE, &ignore, NULL);
    (void)sigaction(SIGXFSZ, &ignore, NULL);
    (void)sigaction(SIGINT, &interrupt, NULL);
}

/* A descriptor of ours must not come to stand where stdin, stdout or stderr were closed. What is
 * put there instead fails as the closed one would: it is open the other way. */
static void fill_closed(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
        (void)open("/dev/null",
                   fd == STDIN_FILENO ? O_WRONLY : O_RDONLY); /* takes the lowest: fd */
    }
}

static bool reader_is_gone(void) {
    struct pollfd out = {.fd = STDOUT_FILENO};
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR);
}

/* What was printed must have arrived, or the exit code says no. A reader who has seen enough is
 * fine. */
static int finish(int exit_code) {
    bool failed = fflush(stdout) || ferror(stdout);
    int cause = errno;
    if (!failed || exit_code || reader_is_gone()) return exit_code;
    return fail(EXIT_NO, "cannot write to stdout: %s", strerror(cause));
}

static int run(struct cli *cli, int argc, char **argv) {
    int at = 1, exit_code = -1;
    const char *first = args_next_word(cli, argc, argv, &at, &exit_code), *second = NULL;
    if (first && is_group(first)) second = args_next_word(cli, argc, argv, &at, &exit_code);
    if (exit_code >= 0) return exit_code;
    if (cli->version) return show_version(cli);
    if (!first && cli->help) return show_overview(cli);
    if (!first) return fail_usage("no command is given; see 'reeve help'");
    if (cli->help && !second && is_group(first)) return show_group(cli, first);
    cli->cmd = find_command(first, second);
    if (!cli->cmd) return fail_command(first, second);
    return cli->cmd->run(cli, argc - at, argv + at);
}

int main(int argc, char **argv) {
    struct cli cli = {0};
    fill_closed();
    set_signals();
    return finish(run(&cli, argc, argv));
}
