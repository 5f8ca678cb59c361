/* Limits of programs (W13): they hit the job, not the worker, nor its neighbours. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service/programs.h"

static struct reeve_worker_options limited(struct scene *s, const struct reeve_limits *limits) {
    struct reeve_worker_options options = options_of(s);
    options.limits = limits;
    return options;
}

/* Runs script for "a" under limits, while "b" does ordinary work beside it, under a short lease
 * whose renewals would soon be missed. */
static void run_limited(struct scene *s, struct reeve_limits limits, const char *script,
                        enum reeve_state expected) {
    char both[2048];
    limits.size = sizeof limits;
    struct reeve_worker_options options = limited(s, &limits);
    options.lease_ms = 1000;
    push_with(s, (struct reeve_push){.id = "a", .attempts_max = 1});
    push(s, "b");
    (void)snprintf(both, sizeof both, "if [ $REEVE_ID = b ]; then echo fine; exit; fi; %s", script);
    start_script(s, options, both);
    await_state(s, "b", REEVE_DONE);
    await_state(s, "a", expected);
    CHECK_INT(log_count(s, "lease.lost"), 0);
    CHECK_INT(stats(s).lapsed_total, 0);
}

static void without_limits_it_has_the_workers_own(void **state) {
    struct scene *s = *state;
    run_script(s, "grep -v core /proc/self/limits", REEVE_DONE);
    struct reeve_job *job = get(s, "a");
    char expected[4096] = "", line[256];
    FILE *file = fopen("/proc/self/limits", "re");
    CHECK(file);
    while (fgets(line, sizeof line, file)) {
        if (!strstr(line, "core"))
            (void)snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%s",
                           line);
    }
    (void)fclose(file);
    CHECK_BYTES(job->result, job->result_size, expected, strlen(expected));
    reeve_free(job);
}

static void it_leaves_no_core_and_gains_no_rights(void **state) {
    struct scene *s = *state;
    mode_t before = umask(0027);
    run_script(s, "ulimit -Hc; grep NoNewPrivs /proc/self/status | tr -d '\\t'; umask", REEVE_DONE);
    (void)umask(before);
    check_result(s, "0\nNoNewPrivs:1\n0027\n"); /* and its umask is the worker's */
}

static void the_kernel_is_told_each_limit(void **state) {
    struct scene *s = *state;
    run_limited(s,
                (struct reeve_limits){.memory = 512 << 20,
                                      .cpu_ms = 1500,
                                      .files = 50,
                                      .processes = 30000,
                                      .file_size = 4096},
                "ulimit -v; ulimit -St; ulimit -Ht; ulimit -n; ulimit -f; "
                "sed -n 's/^Max processes *//p' /proc/self/limits | tr -s ' ' | cut -d' ' -f1,2",
                REEVE_DONE);
    check_result(s, "524288\n2\n3\n50\n8\n30000 30000\n");
}

static void a_limit_above_the_workers_own_is_its_own(void **state) {
    struct scene *s = *state;
    struct reeve_limits limits = {.size = sizeof limits, .files = 2000000000};
    struct rlimit own;
    char expected[64];
    CHECK_INT(getrlimit(RLIMIT_NOFILE, &own), 0);
    (void)snprintf(expected, sizeof expected, "%llu\n", (unsigned long long)own.rlim_max);
    push_with(s, (struct reeve_push){.id = "a", .attempts_max = 1});
    start_script(s, limited(s, &limits), "ulimit -n");
    await_state(s, "a", REEVE_DONE);
    check_result(s, expected);
}

static void who_eats_memory_fails(void **state) {
    struct scene *s = *state;
    run_limited(s, (struct reeve_limits){.memory = 256 << 20},
                "head -c 1073741824 /dev/zero | tail -c 1073741824 > /dev/null; "
                "[ $? = 0 ] || { echo starved >&2; exit 3; }",
                REEVE_FAILED);
    check_error(s, "a", "exit:3");
}

static void who_burns_the_processor_is_killed(void **state) {
    struct scene *s = *state;
    run_limited(s, (struct reeve_limits){.cpu_ms = 1}, "while :; do :; done", REEVE_FAILED);
    check_error(s, "a", "signal:24"); /* SIGXCPU, after a second of it */
}

static void who_ignores_that_is_killed_all_the_same(void **state) {
    struct scene *s = *state;
    run_limited(s, (struct reeve_limits){.cpu_ms = 1000}, "trap '' XCPU; while :; do :; done",
                REEVE_FAILED);
    check_error(s, "a", "signal:9");
}

/* As a program: opens what it can, and tells how many it has then. */
static void open_files(void) {
    int last = 0;
    for (int fd = 0; fd >= 0; fd = open("/dev/null", O_RDONLY | O_CLOEXEC))
        last = fd > last ? fd : last;
    (void)printf("%d\n", last + 1);
    (void)fflush(stdout);
    _exit(0); /* nothing that wants a file of its own may come after this */
}

static void who_opens_too_much_is_refused(void **state) {
    struct scene *s = *state;
    char self[4096];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    CHECK(size > 0);
    self[size] = '\0';
    CHECK_INT(setenv("SELF", self, 1), 0);
    run_limited(s, (struct reeve_limits){.files = 20}, "$SELF --open-files", REEVE_DONE);
    check_result(s, "20\n");
}

static void who_writes_too_much_is_killed(void **state) {
    struct scene *s = *state;
    struct pids pids = make_pids();
    run_limited(s, (struct reeve_limits){.file_size = 8192},
                "exec head -c 100000 /dev/zero > $PIDS", REEVE_FAILED);
    check_error(s, "a", "signal:25"); /* SIGXFSZ */
    struct stat status;
    CHECK_INT(stat(pids.file, &status), 0);
    CHECK_INT(status.st_size, 8192);
    drop_pids(&pids);
}

/* ---- processes: counted per user, and root is not ---- */

static int count_processes_of(uid_t uid) {
    int count = 0;
    DIR *folder = opendir("/proc");
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        char path[300];
        struct stat status;
        (void)snprintf(path, sizeof path, "/proc/%s", entry->d_name);
        if (strtol(entry->d_name, NULL, 10) > 0 && !stat(path, &status) && status.st_uid == uid)
            count++;
    }
    if (folder) (void)closedir(folder);
    return count;
}

/* In a process of its own, which ends with the exit code that the script's attempt had. */
static void work_as_somebody(const char *script) {
    static const char *const queues[] = {"q", NULL};
    const char *const argv[] = {"sh", "-c", script, NULL};
    if (geteuid() == 0 && (setgid(65534) || setuid(65534))) _exit(100);
    struct reeve_limits limits = {.size = sizeof limits};
    limits.processes = count_processes_of(getuid()) + 20; /* threads count, too: ours are few */
    struct reeve_push push = {.size = sizeof push, .queue = "q", .id = "a", .attempts_max = 1};
    struct reeve_worker_options options = {
        .size = sizeof options, .queues = queues, .threads = 1, .limits = &limits};
    reeve *r;
    reeve_worker *w;
    struct reeve_job *job;
    if (reeve_open(&r, "memory:", NULL) || reeve_push(r, &push, NULL) ||
        reeve_worker_open(&w, r, &options) || reeve_worker_exec(w, NULL, argv) ||
        reeve_worker_start(w) || reeve_wait(r, "q", "a", SOON_MS, &job))
        _exit(101);
    _exit(job->state == REEVE_FAILED && !strcmp(job->error->code, "exit:2") ? 0 : 102);
}

/* A shell that cannot fork ends with 2. */
static void who_forks_without_end_comes_to_one(void **state) {
    (void)state;
    int status;
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) work_as_somebody("i=0; while [ $i -lt 300 ]; do sleep 1000 & i=$((i + 1)); done");
    CHECK_INT(waitpid(pid, &status, 0), pid);
    CHECK(WIFEXITED(status));
    CHECK_INT(WEXITSTATUS(status), 0);
}

static void limits_are_checked(void **state) {
    struct scene *s = *state;
    struct reeve_limits limits = {.size = sizeof limits, .cpu_ms = -1};
    struct reeve_worker_options options = limited(s, &limits);
    CHECK_FAILS(reeve_worker_open(&s->worker, s->r, &options), REEVE_EINVAL);
    limits = (struct reeve_limits){.size = sizeof limits, .files = -1};
    CHECK_FAILS(reeve_worker_open(&s->worker, s->r, &options), REEVE_EINVAL);
    limits = (struct reeve_limits){.size = sizeof limits, .processes = -1};
    CHECK_FAILS(reeve_worker_open(&s->worker, s->r, &options), REEVE_EINVAL);
    limits = (struct reeve_limits){.size = 1};
    CHECK_FAILS(reeve_worker_open(&s->worker, s->r, &options), REEVE_EINVAL);
    CHECK(strstr(reeve_errmsg(), "reeve_limits"));
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "--open-files")) open_files();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_forks_without_end_comes_to_one), /* first: it forks */
        SCENE_TEST(without_limits_it_has_the_workers_own),
        SCENE_TEST(it_leaves_no_core_and_gains_no_rights),
        SCENE_TEST(the_kernel_is_told_each_limit),
        SCENE_TEST(a_limit_above_the_workers_own_is_its_own),
        SCENE_TEST(who_eats_memory_fails),
        SCENE_TEST(who_burns_the_processor_is_killed),
        SCENE_TEST(who_ignores_that_is_killed_all_the_same),
        SCENE_TEST(who_opens_too_much_is_refused),
        SCENE_TEST(who_writes_too_much_is_killed),
        SCENE_TEST(limits_are_checked),
    };
    return SCENE_MAIN(argc, argv, tests);
}
