#include "service/programs.h"

#include <dirent.h>
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

/* ---- guardians ---- */
static bool is_guardian_of(long pid, long parent) {
    char path[64], text[256] = "";
    long of = 0;
    (void)snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "re");
    if (!file) return false;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
    const char *after = strrchr(text, ')');
    return after && sscanf(after + 2, "%*c %ld", &of) == 1 && of == parent &&
           strstr(text, "(reeve-guardian)");
}

/* The one that parent has now, or 0. */
static long find_guardian(long parent) {
    long found = 0;
    DIR *folder = opendir("/proc");
    CHECK(folder);
    for (struct dirent *entry; !found && (entry = readdir(folder)) != NULL;) {
        long pid = strtol(entry->d_name, NULL, 10);
        if (pid > 0 && is_guardian_of(pid, parent)) found = pid;
    }
    (void)closedir(folder);
    return found;
}

struct replaced {
    long worker, guardian;
};

static bool has_another_guardian(void *arg) {
    struct replaced *replaced = arg;
    long pid = find_guardian(replaced->worker);
    return pid > 0 && pid != replaced->guardian;
}

long await_guardian(long worker, long before) {
    struct replaced replaced = {.worker = worker, .guardian = before};
    CHECK(eventually(has_another_guardian, &replaced, SOON_MS));
    return find_guardian(worker);
}
