#include "redis/server.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/check.h"
#include "harness/scratch.h"

enum { WORDS_MAX = 10 };

/* In the child: out is its standard output. */
static void run_servers(const struct server *server, const char *verb, int out) {
    char with[64], *rest = with;
    const char *tool = getenv("REEVE_SERVERS");
    char *words[WORDS_MAX] = {(char *)(tool ? tool : "tools/servers"), (char *)verb};
    size_t count = 2;
    if (strcmp(verb, "start") == 0) words[count++] = (char *)"redis";
    words[count++] = server->folder;
    (void)snprintf(with, sizeof with, "%s", server->with);
    for (char *word; strcmp(verb, "start") == 0 && (word = strtok_r(rest, " ", &rest));)
        words[count++] = word;
    (void)dup2(out, STDOUT_FILENO);
    (void)execv(words[0], words);
    _exit(127);
}

/* What it prints goes to out. */
static void call_servers(const struct server *server, const char *verb, char *out, size_t size) {
    int ends[2], status = -1;
    CHECK_INT(pipe(ends), 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) run_servers(server, verb, ends[1]);
    (void)close(ends[1]);
    CHECK_INT(waitpid(child, &status, 0), child);
    ssize_t count = read(ends[0], out, size - 1);
    (void)close(ends[0]);
    out[count > 0 ? count : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    CHECK_INT(status, 0);
}

static pid_t read_pid(const struct server *server) {
    char *path = scratch_path(server->folder, "pid"), text[32] = "";
    FILE *file = path ? fopen(path, "re") : NULL;
    free(path);
    CHECK(file != NULL);
    CHECK(fgets(text, sizeof text, file) != NULL);
    (void)fclose(file);
    return (pid_t)strtol(text, NULL, 10);
}

static void start(struct server *server) {
    call_servers(server, "start", server->url, sizeof server->url);
    const char *port = strrchr(server->url, ':');
    server->port = (int)strtol(port + 1, NULL, 10);
    server->pid = read_pid(server);
}

struct server *server_start(const char *with) {
    struct server *server = calloc(1, sizeof *server);
    CHECK(server != NULL);
    server->folder = scratch_create();
    CHECK(server->folder != NULL);
    (void)snprintf(server->with, sizeof server->with, "%s", with);
    start(server);
    return server;
}

void server_stop(struct server *server) {
    char nothing[16];
    if (!server->pid) return;
    (void)kill(server->pid, SIGCONT);
    server->pid = 0;
    call_servers(server, "stop", nothing, sizeof nothing);
}

void server_again(struct server *server) {
    char port[16];
    (void)snprintf(port, sizeof port, "%d", server->port);
    CHECK_INT(setenv("PORT", port, 1), 0);
    start(server);
    CHECK_INT(unsetenv("PORT"), 0);
}

void server_destroy(struct server *server) {
    if (!server) return;
    server_stop(server);
    scratch_destroy(server->folder);
    free(server);
}
