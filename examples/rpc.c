/* Pushes a job and waits for its result: rpc STORE-URL QUEUE BODY [ID]. With an ID, asking twice
 * runs the job once: the second time its result is already there. */
#include <reeve.h>
#include <stdio.h>
#include <string.h>

enum { PATIENCE_MS = 30000 };

static int complain(const char *what) {
    fprintf(stderr, "%s: %s\n", what, reeve_errmsg());
    return 1;
}

static int print_result(const struct reeve_job *job) {
    if (job->state != REEVE_DONE) {
        fprintf(stderr, "%s: %s\n", reeve_state_name(job->state),
                job->error ? job->error->message : "");
        return 1;
    }
    fwrite(job->result, 1, job->result_size, stdout);
    putchar('\n');
    return 0;
}

static int call(reeve *r, const char *queue, const char *body, const char *id) {
    struct reeve_push push = {
        .size = sizeof push, .queue = queue, .id = id, .body = body, .body_size = strlen(body)};
    struct reeve_job *job;
    int rc = reeve_push_wait(r, &push, PATIENCE_MS, NULL, &job);
    int status = rc ? complain("call") : print_result(job);
    reeve_free(job);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 4 || argc > 5) {
        fprintf(stderr, "usage: rpc STORE-URL QUEUE BODY [ID]\n");
        return 2;
    }
    reeve *r;
    if (reeve_open(&r, argv[1], NULL)) return complain(argv[1]);
    int status = call(r, argv[2], argv[3], argv[4]);
    reeve_close(r);
    return status;
}
