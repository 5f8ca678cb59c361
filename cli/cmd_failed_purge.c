#include "commands.h"
#include "failed.h"
#include "purge.h"

static int forget(reeve *r, const struct reeve_job *job) {
    return reeve_remove(r, job->queue, job->id);
}

static int forget_all(const struct cli *cli, reeve *r, const char *queue, uint64_t *count) {
    return purge(cli, r, queue, REEVE_FAILED, count);
}

static int run(struct cli *cli, int argc, char **argv) {
    static const struct failed_verb verb = {"removed", forget, forget_all};
    return failed_change(cli, argc, argv, &verb);
}

const struct cmd cmd_failed_purge = {
    .name = "failed purge",
    .summary = "remove failed jobs of a queue for good",
    .usage = "Usage: reeve failed purge QUEUE --all | --error-matches S [--dry-run]\n"
             "\n"
             "Their records go, and with them the memory of their ids. Prints how many.\n",
    .run = run,
};
