/* Runs the jobs of a queue until it is empty: worker STORE-URL QUEUE. A job's result is its body
 * backwards; an empty body is a mistake that no second attempt would mend. */
#include <reeve.h>
#include <stdio.h>
#include <stdlib.h>

static enum reeve_verdict reverse(void *arg, reeve_task *task) {
    (void)arg;
    const struct reeve_job *job = reeve_task_job(task);
    if (!job->body_size) {
        reeve_task_set_error(task, "empty", "there is nothing to reverse", NULL, 0);
        return REEVE_GIVE_UP;
    }
    char *text = malloc(job->body_size);
    if (!text) return REEVE_RETRY; /* after the backoff, while attempts remain */
    for (size_t i = 0; i < job->body_size; i++)
        text[i] = ((const char *)job->body)[job->body_size - 1 - i];
    int rc = reeve_task_set_result(task, text, job->body_size);
    free(text);
    return rc ? REEVE_RETRY : REEVE_SUCCEED;
}

static int complain(const char *what) {
    fprintf(stderr, "%s: %s\n", what, reeve_errmsg());
    return 1;
}

static int work(reeve *r, const char *queue) {
    const char *const queues[] = {queue, NULL};
    struct reeve_worker_options options = {
        .size = sizeof options, .queues = queues, .threads = 2, .until_empty = true};
    reeve_worker *w;
    if (reeve_worker_open(&w, r, &options)) return complain("worker");
    int rc = reeve_worker_handle(w, NULL, reverse, NULL);
    if (!rc) rc = reeve_worker_start(w);
    if (!rc) rc = reeve_worker_wait(w, REEVE_NONE); /* leases are renewed meanwhile */
    if (rc) complain("work");
    reeve_worker_close(w);
    return rc ? 1 : 0;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: worker STORE-URL QUEUE\n");
        return 2;
    }
    reeve *r;
    if (reeve_open(&r, argv[1], NULL)) return complain(argv[1]);
    int status = work(r, argv[2]);
    reeve_close(r);
    return status;
}
