/* Pushes each argument as the body of a job: push STORE-URL QUEUE BODY... */
#include <reeve.h>
#include <stdio.h>
#include <string.h>

static int complain(const char *what) {
    fprintf(stderr, "%s: %s\n", what, reeve_errmsg());
    return 1;
}

static int push_body(reeve *r, const char *queue, const char *body) {
    struct reeve_push push = {
        .size = sizeof push, .queue = queue, .body = body, .body_size = strlen(body)};
    struct reeve_pushed pushed = {.size = sizeof pushed};
    if (reeve_push(r, &push, &pushed)) return complain("push");
    printf("%s/%s\n", queue, pushed.id); /* from here on, the job is safe in the store */
    return 0;
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: push STORE-URL QUEUE BODY...\n");
        return 2;
    }
    reeve *r;
    if (reeve_open(&r, argv[1], NULL)) return complain(argv[1]);
    int status = 0;
    for (int i = 3; i < argc && !status; i++)
        status = push_body(r, argv[2], argv[i]);
    reeve_close(r);
    return status;
}
