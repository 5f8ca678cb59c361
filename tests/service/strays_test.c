/* What programs leave behind in sessions of their own (W12): gone with the job, gone with the
 * worker, and nobody else's processes with them. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service/programs.h"

/* A daemon in the full sense: a session of its own, its parent gone, none of our pipes. It names
 * itself; then the script goes on. */
#define DAEMON                                                                  \
    "(setsid sh -c 'echo $$ > $PIDS.new; mv $PIDS.new $PIDS; exec sleep 1000' " \
    "</dev/null >/dev/null 2>&1 &); until [ -e $PIDS ]; do sleep 0.01; done; "

static void a_daemon_is_gone_soon_after_a_success(void **state) {
    struct scene *s = *state;
    struct pids pids = make_pids();
    run_script(s, DAEMON "echo mine", REEVE_DONE);
    check_result(s, "mine\n");
    CHECK(eventually(all_are_gone, pids.file, SOON_MS));
    drop_pids(&pids);
}

/* Then what "before" leaves has just been looked for when "a" ends: the next look would be late. */
static struct reeve_worker_options one_thread(struct scene *s) {
    struct reeve_worker_options options = options_of(s);
    options.threads = 1;
    return options;
}

static void a_daemon_is_gone_before_the_next_attempt(void **state) {
    struct scene *s = *state;
    struct pids pids = make_pids();
    push(s, "before");
    push_with(s, (struct reeve_push){.id = "a", .attempts_max = 2, .backoff_ms = REEVE_NONE});
    start_script(s, one_thread(s),
                 "[ $REEVE_ID != before ] || exit 0; [ $REEVE_ATTEMPT = 2 ] || { " DAEMON
                 "exit 1; }; "
                 "state=$(sed 's/.*) //' /proc/$(cat $PIDS)/stat 2>/dev/null); "
                 "case $state in ''|Z*|X*) exit 0;; *) echo \"$state\" >&2; exit 65;; esac");
    await_state(s, "a", REEVE_DONE);
    drop_pids(&pids);
}

static void a_daemon_that_holds_the_pipes_is_gone_with_the_job(void **state) {
    struct scene *s = *state;
    struct pids pids = make_pids();
    push(s, "before");
    push_with(s, (struct reeve_push){.id = "a", .attempts_max = 1});
    start_script(s, one_thread(s),
                 "[ $REEVE_ID != before ] || exit 0; setsid sh -c 'echo $$ > $PIDS.new; mv "
                 "$PIDS.new $PIDS; exec sleep 1000' & "
                 "until [ -e $PIDS ]; do sleep 0.01; done; echo mine");
    await_state(s, "a", REEVE_DONE);
    CHECK(all_are_gone(pids.file)); /* not soon: by now */
    check_result(s, "mine\n");
    drop_pids(&pids);
}

/* Kills leave no time to clean up: each of them has forked before. */
static void daemons_that_beget_daemons_are_gone(void **state) {
    struct scene *s = *state;
    struct pids pids = make_pids();
    run_script(s,
               "breed() { for i in 1 2 3 4 5 6 7 8; do (setsid sh -c 'echo $$ >> $PIDS.new; "
               "(setsid sh -c \"echo \\$\\$ >> $PIDS.new; exec sleep 1000\" &); exec sleep 1000' "
               "</dev/null >/dev/null 2>&1 &); done; }; breed; "
               "until [ \"$(wc -l < $PIDS.new)\" = 16 ]; do sleep 0.01; done; "
               "mv $PIDS.new $PIDS; exit 3",
               REEVE_FAILED);
    CHECK(eventually(all_are_gone, pids.file, SOON_MS));
    drop_pids(&pids);
}

static void the_daemon_of_a_running_job_is_left_alone(void **state) {
    struct scene *s = *state;
    struct pids pids = make_pids();
    push(s, "a");
    start_script(s, options_of(s), "[ $REEVE_ID = a ] || exit 65; " DAEMON "sleep 1000");
    await_pids(&pids);
    for (int i = 0; i < 5; i++) { /* each is followed by a look that is waited for */
        char id[16];
        (void)snprintf(id, sizeof id, "other%d", i);
        push(s, id);
        await_state(s, id, REEVE_FAILED);
        CHECK(!all_are_gone(pids.file));
    }
    end_worker(s, 0);
    CHECK(all_are_gone(pids.file)); /* the worker's end is theirs */
    drop_pids(&pids);
}

static void the_processes_of_others_are_left_alone(void **state) {
    struct scene *s = *state;
    int ready[2];
    char byte;
    CHECK_INT(pipe(ready), 0);
    pid_t other = fork(); /* looks nearly like one of ours, and is another worker's */
    CHECK(other >= 0);
    if (other == 0) {
        char *const argv[] = {"sh", "-c", "echo; exec sleep 1000", NULL};
        char *const environment[] = {"REEVE_RUN=0000000000000000000000.1", "REEVE_RUN=", NULL};
        (void)dup2(ready[1], 1);
        (void)execve("/bin/sh", argv, environment);
        _exit(127);
    }
    CHECK(close(ready[1]) == 0 && read(ready[0], &byte, 1) == 1 && close(ready[0]) == 0);
    run_script(s, "exit 1", REEVE_FAILED);
    end_worker(s, 0);
    CHECK(!is_gone(other));
    CHECK_INT(kill(other, SIGKILL), 0);
    CHECK_INT(waitpid(other, NULL, 0), other);
}

/* Its environment is gone before its memory is given back, and only then are its files closed: the
 * next attempt must not meet them. */
static void a_daemon_that_takes_long_to_die_is_waited_for(void **state) {
    struct scene *s = *state;
    struct pids pids = make_pids();
    run_script(s,
               "({ head -c 60000000 /dev/zero; mv $PIDS.new $PIDS; exec sleep 1000; } | "
               "setsid sh -c 'echo $$ > $PIDS.new; exec tail -n 1' >/dev/null 2>&1 &) </dev/null "
               ">/dev/null 2>&1; until [ -e $PIDS ]; do sleep 0.01; done; exit 3",
               REEVE_FAILED);
    CHECK(all_are_gone(pids.file));
    drop_pids(&pids);
}

/* Its mark is not where it was put: a shell writes its environment anew, and in any order. */
static void a_mark_is_found_anywhere(void **state) {
    struct scene *s = *state;
    struct pids pids = make_pids();
    char *filler = malloc(100001);
    CHECK(filler);
    memset(filler, 'x', 100000);
    filler[100000] = '\0';
    CHECK_INT(setenv("FILLER", filler, 1), 0); /* longer than any read */
    free(filler);
    run_script(s, "env | grep -c REEVE_RUN= ; " DAEMON "exit 3", REEVE_FAILED);
    CHECK_INT(unsetenv("FILLER"), 0);
    CHECK(all_are_gone(pids.file));
    drop_pids(&pids);
}

/* ---- a worker that is killed ---- */

/* In a process of its own. */
static void work_until_killed(const char *script) {
    struct reeve_push push = {.size = sizeof push, .queue = "q"};
    struct reeve_worker_options options = {.size = sizeof options, .threads = 1};
    static const char *const queues[] = {"q", NULL};
    const char *const argv[] = {"sh", "-c", script, NULL};
    reeve *r;
    reeve_worker *w;
    options.queues = queues;
    if (reeve_open(&r, "memory:", NULL) || reeve_push(r, &push, NULL) ||
        reeve_worker_open(&w, r, &options) || reeve_worker_exec(w, NULL, argv) ||
        reeve_worker_start(w))
        _exit(1);
    (void)reeve_worker_wait(w, REEVE_NONE);
    _exit(0);
}

static bool is_missing(void *path) {
    struct stat status;
    return stat(path, &status) != 0;
}

static void a_killed_worker_leaves_neither_daemon_nor_socket(void **state) { /* W3 */
    (void)state;
    struct pids pids = make_pids();
    char path[256] = "", line[4096];
    pid_t worker = fork();
    CHECK(worker >= 0);
    if (worker == 0) work_until_killed("echo $REEVE_SOCKET > $PIDS.socket; " DAEMON "sleep 1000");
    await_pids(&pids);
    (void)snprintf(line, sizeof line, "%s.socket", pids.file);
    FILE *file = fopen(line, "re");
    CHECK(file && fscanf(file, "%255s", path) == 1 && fclose(file) == 0);
    CHECK(!all_are_gone(pids.file) && !is_missing(path));
    CHECK_INT(kill(worker, SIGKILL), 0);
    CHECK_INT(waitpid(worker, NULL, 0), worker);
    CHECK(eventually(all_are_gone, pids.file, SOON_MS));
    *strrchr(path, '/') = '\0';
    CHECK(eventually(is_missing, path, SOON_MS)); /* with the folder around it */
    drop_pids(&pids);
}

/* A worker as the program of a worker: the inner guardian, however slow, is left to do its work. */
static void nothing_of_a_worker_within_a_worker_is_left(void **state) {
    struct scene *s = *state;
    struct pids pids = make_pids();
    char self[4096], file[4096];
    long inner = 0;
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    CHECK(size > 0);
    self[size] = '\0';
    const char *const argv[] = {self, "--worker", "echo $PPID > $PIDS.inner; " DAEMON "sleep 1000",
                                NULL};
    push_with(s, (struct reeve_push){.id = "a", .attempts_max = 1});
    start_program(s, options_of(s), argv);
    await_pids(&pids);
    (void)snprintf(file, sizeof file, "%s.inner", pids.file);
    FILE *names = fopen(file, "re");
    CHECK(names && fscanf(names, "%ld", &inner) == 1 && fclose(names) == 0);
    pid_t guardian = (pid_t)await_guardian(inner, 0);
    CHECK_INT(kill(guardian, SIGSTOP), 0);
    CHECK_OK(reeve_cancel(s->r, "q", "a", NULL));
    await_state(s, "a", REEVE_CANCELLED);
    CHECK_INT(kill(guardian, SIGCONT), 0);
    CHECK(eventually(all_are_gone, pids.file, SOON_MS));
    drop_pids(&pids);
}

int main(int argc, char **argv) {
    if (argc == 3 && !strcmp(argv[1], "--worker")) work_until_killed(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_worker_leaves_neither_daemon_nor_socket), /* first: it forks */
        SCENE_TEST(a_daemon_is_gone_soon_after_a_success),
        SCENE_TEST(a_daemon_is_gone_before_the_next_attempt),
        SCENE_TEST(a_daemon_that_holds_the_pipes_is_gone_with_the_job),
        SCENE_TEST(daemons_that_beget_daemons_are_gone),
        SCENE_TEST(the_daemon_of_a_running_job_is_left_alone),
        SCENE_TEST(the_processes_of_others_are_left_alone),
        SCENE_TEST(a_daemon_that_takes_long_to_die_is_waited_for),
        SCENE_TEST(a_mark_is_found_anywhere),
        SCENE_TEST(nothing_of_a_worker_within_a_worker_is_left),
    };
    return SCENE_MAIN(argc, argv, tests);
}
