/* A user of the installed library, valid as C11 and as C++20: one job from push to result.
 * Usage: user STORE-URL */
#include <reeve.h>
#include <stdio.h>
#include <string.h>

static int complain(const char *what) {
    fprintf(stderr, "%s: %s\n", what, reeve_errmsg());
    return 1;
}

static int run_one(reeve *r) {
    const char *queues[] = {"mail", NULL};
    reeve_task *task = NULL;
    if (reeve_claim(r, queues, 5000, 5000, &task)) return complain("claim");
    if (strcmp(reeve_task_job(task)->id, "one") != 0)
        return complain("another job than was pushed");
    if (reeve_task_set_result(task, "sent", 4)) return complain("set_result");
    if (reeve_finish(task, REEVE_SUCCEED)) return complain("finish");
    return 0;
}

static int use(reeve *r) {
    struct reeve_push push = {.size = sizeof push, .queue = "mail", .id = "one"};
    struct reeve_pushed pushed = {.size = sizeof pushed};
    if (reeve_push(r, &push, &pushed)) return complain("push");
    if (run_one(r)) return 1;
    struct reeve_job *job = NULL;
    if (reeve_wait(r, "mail", "one", 5000, &job)) return complain("wait");
    int good = job->state == REEVE_DONE && job->result_size == 4 && !memcmp(job->result, "sent", 4);
    reeve_free(job);
    return good ? 0 : complain("another result than was handed in");
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    if (strcmp(reeve_version(), REEVE_VERSION) != 0)
        return complain("another version than the header's");
    reeve *r = NULL;
    if (reeve_open(&r, argv[1], NULL)) return complain(argv[1]);
    int status = use(r);
    reeve_close(r);
    return status;
}
