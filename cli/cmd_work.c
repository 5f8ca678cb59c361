#include "commands.h"
#include "supervise.h"

static int run(struct cli *cli, int argc, char **argv) {
    int exit_code;
    struct shift *first = shift_create(cli, argc, argv, &exit_code);
    return first ? supervise(cli, argc, argv, first) : exit_code;
}

const struct cmd cmd_work = {
    .name = "work",
    .summary = "run a program for each job of some queues",
    .usage = "Usage: reeve work QUEUE[=WEIGHT]... [OPTIONS] -- CMD [ARG...]\n"
             "\n"
             "Runs CMD once per job, without a shell: the body on stdin, about the job in\n"
             "REEVE_QUEUE REEVE_ID REEVE_KIND REEVE_ATTEMPT REEVE_ATTEMPTS_MAX REEVE_TOKEN\n"
             "REEVE_LEASE REEVE_WORKER REEVE_DEADLINE_MS REEVE_SOCKET. Its stdout is the\n"
             "result, the end of its stderr the error. Exit 0: done. 65: failed for good. 75:\n"
             "handed back, not counted. Any other, or a signal: a failed attempt.\n"
             "The first queue is the most urgent, unless there are weights, as in\n"
             "'high=5 low=1': then queues are served in that proportion.\n",
    .notes = "Signals: TERM, INT: no new jobs, end within the grace; a second one: hand back\n"
             "at once. QUIT: the same at once. TSTP: no new jobs; CONT: again. HUP: read the\n"
             "--config again. TTIN: say what every thread is doing. 'ready' on stderr tells\n"
             "that it can claim.\n",
    .run = run,
};
