#include "service/programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/scratch.h"

void start_program(struct scene *s, struct reeve_worker_options options, const char *const argv[]) {
    CHECK_OK(reeve_worker_open(&s->worker, s->r, &options));
    CHECK_OK(reeve_worker_exec(s->worker, NULL, argv));
    CHECK_OK(reeve_worker_start(s->worker));
}

void start_script(struct scene *s, struct reeve_worker_options options, const char *script) {
    const char *const argv[] = {"sh", "-c", script, NULL};
    start_program(s, options, argv);
}

void run_script(struct scene *s, const char *script, enum reeve_state expected) {
    push_with(s, (struct reeve_push){.id = "a", .attempts_max = 1});
    start_script(s, options_of(s), script);
    await_state(s, "a", expected);
}

void check_result(struct scene *s, const char *text) {
    struct reeve_job *job = get(s, "a");
    CHECK_BYTES(job->result, job->result_size, text, strlen(text));
    reeve_free(job);
}

void check_message(struct scene *s, const char *text) {
    struct reeve_job *job = get(s, "a");
    CHECK(job->error);
    CHECK_STR(job->error->message, text);
    reeve_free(job);
}

/* ---- processes ---- */
struct pids make_pids(void) {
    struct pids pids = {.folder = scratch_create()};
    CHECK(pids.folder);
    pids.file = scratch_path(pids.folder, "pids");
    CHECK(pids.file && !setenv("PIDS", pids.file, 1));
    return pids;
}

void drop_pids(struct pids *pids) {
    CHECK_INT(unsetenv("PIDS"), 0);
    free(pids->file);
    scratch_destroy(pids->folder);
}

static bool is_written(void *arg) {
    struct stat status;
    return !stat(arg, &status) && status.st_size > 0;
}

void await_pids(const struct pids *pids) {
    CHECK(eventually(is_written, pids->file, SOON_MS));
}

bool is_gone(long pid) {
    char path[64], text[256] = "";
    (void)snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "re");
    if (!file) return true;
    size_t size = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[size] = '\0';
    const char *state = strrchr(text, ')');
    return !state || state[2] == 'Z' || state[2] == 'X';
}

bool all_are_gone(void *arg) {
    FILE *file = fopen(arg, "re");
    long pid;
    bool gone = true;
    CHECK(file);
    while (fscanf(file, "%ld", &pid) == 1)
        gone = gone && is_gone(pid);
    (void)fclose(file);
    return gone;
}
