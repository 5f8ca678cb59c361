/* spawn - what starting programs costs by itself: posix_spawn and wait, again and again.
 * Usage: spawn COUNT AT_ONCE PROGRAM [ARG...]      Prints one JSON object. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static _Noreturn void die(const char *what, const char *why) {
    (void)fprintf(stderr, "spawn: %s: %s\n", what, why);
    exit(1);
}

static double now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void start(char **argv) {
    pid_t pid;
    int error = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);
    if (error) die(argv[0], strerror(error));
}

static void wait_for_one(void) {
    int status;
    if (wait(&status) < 0) die("wait", strerror(errno));
    if (!WIFEXITED(status) || WEXITSTATUS(status)) die("the program", "failed");
}

static long number(const char *text) {
    char *end;
    long value = strtol(text, &end, 10);
    if (*end || value < 1) die(text, "is not a number above 0");
    return value;
}

int main(int argc, char **argv) {
    if (argc < 4) die("usage", "spawn COUNT AT_ONCE PROGRAM [ARG...]");
    long count = number(argv[1]), at_once = number(argv[2]), running = 0;
    double from = now();
    for (long i = 0; i < count; i++) {
        if (running == at_once)
            wait_for_one();
        else
            running++;
        start(argv + 3);
    }
    for (; running; running--)
        wait_for_one();
    (void)printf("{\"per_second\": %.1f}\n", (double)count / (now() - from));
    return 0;
}
