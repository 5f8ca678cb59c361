/* teller URL QUEUE: takes the next job of the queue, tells its progress and two lines, and drops it
 * unfinished. For what a program as handler cannot tell. */
#include <stdio.h>

#include <reeve.h>

static int tell(reeve *r, const char *queue) {
    const char *queues[] = {queue, NULL};
    reeve_task *task;
    int rc = reeve_claim(r, queues, 60000, 5000, &task);
    if (rc) return rc;
    rc = reeve_task_progress(task, 40);
    if (!rc) rc = reeve_task_log(task, "fetched");
    if (!rc) rc = reeve_task_log(task, "not \033[31mUTF-8: \xff");
    reeve_task_drop(task);
    return rc;
}

int main(int argc, char **argv) {
    reeve *r;
    int rc = argc == 3 ? reeve_open(&r, argv[1], NULL) : REEVE_EINVAL;
    if (!rc) {
        rc = tell(r, argv[2]);
        reeve_close(r);
    }
    if (rc) (void)fprintf(stderr, "teller: %s\n", reeve_strerror(rc));
    return rc != 0;
}
