/* Programs as handlers: the contract of reeve-work(1), and that nothing of them is left behind. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/limits.h"
#include "harness/scratch.h"
#include "service/programs.h"

/* ---- in and out ---- */
static void the_body_goes_in_and_the_result_comes_out(void **state) {
    struct scene *s = *state;
    const char *const argv[] = {"cat", NULL};
    push_with(s, (struct reeve_push){.id = "a", .body = "x\0\n\xff", .body_size = 4});
    start_program(s, options_of(s), argv);
    await_state(s, "a", REEVE_DONE);
    struct reeve_job *job = get(s, "a");
    CHECK_BYTES(job->result, job->result_size, "x\0\n\xff", 4);
    reeve_free(job);
}

static void a_large_body_comes_back_whole(void **state) {
    struct scene *s = *state;
    const char *const argv[] = {"cat", NULL};
    enum { SIZE = 1 << 20 };
    char *body = malloc(SIZE);
    CHECK(body);
    for (size_t i = 0; i < SIZE; i++)
        body[i] = (char)(i * 7 + i / 251);
    push_with(s, (struct reeve_push){.id = "a", .body = body, .body_size = SIZE});
    start_program(s, options_of(s), argv);
    await_state(s, "a", REEVE_DONE);
    struct reeve_job *job = get(s, "a");
    CHECK_BYTES(job->result, job->result_size, body, SIZE);
    reeve_free(job);
    free(body);
}

static void a_program_need_not_read_its_body(void **state) {
    struct scene *s = *state;
    enum { SIZE = 1 << 20 };
    char *body = calloc(1, SIZE);
    CHECK(body);
    push_with(s, (struct reeve_push){.id = "a", .body = body, .body_size = SIZE});
    free(body);
    start_script(s, options_of(s), "exec <&-; echo done");
    await_state(s, "a", REEVE_DONE);
    check_result(s, "done\n");
}

static void no_output_is_the_empty_result(void **state) {
    struct scene *s = *state;
    run_script(s, "echo talk >&2", REEVE_DONE);
    struct reeve_job *job = get(s, "a");
    CHECK(job->result);
    CHECK_INT(job->result_size, 0);
    CHECK(!job->error);
    reeve_free(job);
}

static void output_up_to_the_limit_is_kept(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    options.result_max = 100000;
    push_with(s, (struct reeve_push){.id = "a", .attempts_max = 1});
    push_with(s, (struct reeve_push){.id = "b", .attempts_max = 1});
    start_script(s, options, "[ $REEVE_ID = a ]; head -c $((100000 + $?)) /dev/zero");
    await_state(s, "a", REEVE_DONE);
    await_state(s, "b", REEVE_FAILED); /* one byte more: a part is not the result */
    check_error(s, "b", "too_big");
}

static void a_flood_of_output_hurts_only_its_job(void **state) { /* W13 */
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    push_with(s, (struct reeve_push){.id = "a", .attempts_max = 1});
    push(s, "b");
    start_script(s, options,
                 "[ $REEVE_ID = b ] || { head -c 100000000 /dev/zero; "
                 "head -c 100000000 /dev/zero >&2; }");
    await_state(s, "b", REEVE_DONE);
    await_state(s, "a", REEVE_FAILED);
    check_error(s, "a", "too_big");
}

/* ---- how it ends ---- */
static void exit_65_gives_up(void **state) {
    struct scene *s = *state;
    push(s, "a"); /* three attempts */
    start_script(s, options_of(s), "echo bad data >&2; exit 65");
    await_state(s, "a", REEVE_FAILED);
    check_attempts(s, "a", 1, 1);
    check_error(s, "a", "exit:65");
    check_message(s, "bad data");
}

static void exit_75_hands_back(void **state) {
    struct scene *s = *state;
    push_with(s, (struct reeve_push){.id = "a", .attempts_max = 1});
    start_script(s, options_of(s), "exit 75");
    await_calls(s, RV_OP_EXCHANGE, 4);
    end_worker(s, 0);
    check_state(s, "a", REEVE_READY);
    struct reeve_job *job = get(s, "a");
    CHECK_INT(job->attempt, 0);
    CHECK_INT(job->history[0]->outcome, REEVE_ATTEMPT_HANDED_BACK);
    reeve_free(job);
}

static void any_other_exit_is_a_failed_attempt(void **state) {
    struct scene *s = *state;
    run_script(s, "echo one >&2; echo two >&2; exit 3", REEVE_FAILED);
    check_error(s, "a", "exit:3");
    check_message(s, "one\ntwo");
}

static void an_exit_without_words_has_a_message(void **state) {
    struct scene *s = *state;
    run_script(s, "exit 1", REEVE_FAILED);
    check_error(s, "a", "exit:1");
    check_message(s, "ended with exit status 1");
}

static void a_signal_is_a_failed_attempt(void **state) { /* W10 */
    struct scene *s = *state;
    run_script(s, "kill -SEGV $$", REEVE_FAILED);
    check_error(s, "a", "signal:11");
}

static void of_much_talk_the_end_is_kept(void **state) {
    struct scene *s = *state;
    run_script(s, "head -c 100000 /dev/zero | tr '\\0' x >&2; echo the end >&2; exit 1",
               REEVE_FAILED);
    struct reeve_job *job = get(s, "a");
    size_t size = strlen(job->error->message);
    CHECK_INT(size, RV_ERROR_MESSAGE_MAX - 1); /* without its line feed */
    CHECK_STR(job->error->message + size - 8, "xthe end" + 0);
    reeve_free(job);
}

static void a_program_that_is_not_there(void **state) {
    struct scene *s = *state;
    const char *const argv[] = {"reeve-no-such-program", NULL};
    push_with(s, (struct reeve_push){.id = "a", .attempts_max = 1});
    start_program(s, options_of(s), argv);
    await_state(s, "a", REEVE_FAILED);
    check_error(s, "a", "exit:127");
    check_message(s, "cannot run reeve-no-such-program: No such file or directory");
}

/* Not even a file that says nothing about who is to run it is given to a shell. */
static void a_file_that_is_no_program(void **state) {
    struct scene *s = *state;
    char *folder = scratch_create();
    char *file = folder ? scratch_path(folder, "script") : NULL;
    CHECK(file);
    int fd = open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && write(fd, "exit 0\n", 7) == 7 && close(fd) == 0);
    const char *const argv[] = {file, NULL};
    push_with(s, (struct reeve_push){.id = "a", .attempts_max = 1});
    start_program(s, options_of(s), argv);
    await_state(s, "a", REEVE_FAILED);
    check_error(s, "a", "exit:126");
    CHECK_INT(chmod(file, 0700), 0);
    push_with(s, (struct reeve_push){.id = "b", .attempts_max = 1});
    await_state(s, "b", REEVE_FAILED);
    check_error(s, "b", "exit:126");
    free(file);
    scratch_destroy(folder);
}

/* ---- what it is given ---- */
static void its_environment_tells_of_the_job(void **state) {
    struct scene *s = *state;
    push_with(s, (struct reeve_push){.id = "a $(b)", .kind = "k", .timeout_ms = 60000});
    start_script(
        s, options_of(s),
        "echo \"$REEVE_QUEUE|$REEVE_ID|$REEVE_KIND|$REEVE_ATTEMPT|$REEVE_ATTEMPTS_MAX|"
        "$REEVE_WORKER\"; [ ${REEVE_LEASE%.*} = $REEVE_TOKEN ] && [ ${REEVE_LEASE#*.} != 0 ]"
        " && now=$(date +%s)000 && [ $((REEVE_DEADLINE_MS - now)) -gt 30000 ] &&"
        " [ $((REEVE_DEADLINE_MS - now)) -lt 62000 ]");
    await_state(s, "a $(b)", REEVE_DONE);
    struct reeve_job *job = get(s, "a $(b)");
    CHECK_BYTES(job->result, job->result_size, "q|a $(b)|k|1|3|tester\n", 22);
    reeve_free(job);
}

static void credentials_stay_with_the_worker(void **state) {
    struct scene *s = *state;
    static const char *const secrets[] = {"REEVE_STORE",   "REDIS_URL",
                                          "DATABASE_URL",  "REDISCLI_AUTH",
                                          "MYSQL_PWD",     "PGPASSWORD",
                                          "APP_PASSWORD",  "SECRET_KEY_BASE",
                                          "DB_PASS",       "A_SECRET",
                                          "db_password",   "GITHUB_TOKEN",
                                          "X_API_KEY",     "AWS_SECRET_ACCESS_KEY",
                                          "SECRET_KEY",    "NOTIFY_SOCKET",
                                          "WATCHDOG_USEC", "WATCHDOG_PID"};
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
        CHECK_INT(setenv(secrets[i], "hush", 1), 0);
    CHECK_INT(setenv("BROKER", "amqp://u:hush@host/", 1), 0);
    CHECK_INT(setenv("PLAIN", "amqp://u@host/:", 1), 0);
    run_script(s, "env | grep hush; echo $PLAIN", REEVE_DONE);
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
        CHECK_INT(unsetenv(secrets[i]), 0);
    CHECK_INT(unsetenv("BROKER"), 0);
    CHECK_INT(unsetenv("PLAIN"), 0);
    check_result(s, "amqp://u@host/:\n");
}

static void it_inherits_no_descriptor(void **state) { /* W16 */
    struct scene *s = *state;
    int leaked = fcntl(0, F_DUPFD, 100); /* as a library that knows nothing of CLOEXEC would */
    CHECK(leaked >= 100);
    run_script(s, "for fd in /proc/$$/fd/*; do echo ${fd##*/}; done", REEVE_DONE);
    CHECK_INT(close(leaked), 0);
    check_result(s, "0\n1\n2\n3\n"); /* 3 is the shell's, reading that folder */
}

static void it_inherits_no_signal_settings(void **state) {
    struct scene *s = *state;
    sigset_t set;
    CHECK(!sigemptyset(&set) && !sigaddset(&set, SIGTERM) && !sigaddset(&set, SIGUSR1));
    CHECK(!pthread_sigmask(SIG_BLOCK, &set, NULL) && signal(SIGUSR2, SIG_IGN) != SIG_ERR);
    /* Signals 32 and 33 are the C library's own: whatever make starts ignores them, and nobody but
     * the kernel can be asked to change that. */
    run_script(s, "grep -E '^Sig(Blk|Ign)' /proc/self/status | sed s/[01][08]0000000$/000000000/",
               REEVE_DONE);
    CHECK(!pthread_sigmask(SIG_UNBLOCK, &set, NULL) && signal(SIGUSR2, SIG_DFL) != SIG_ERR);
    check_result(s, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

static void it_is_a_child_in_a_group_of_its_own(void **state) {
    struct scene *s = *state;
    char expected[64];
    run_script(s, "set -- $(cat /proc/$$/stat); [ $1 = $5 ] && echo $4", REEVE_DONE);
    (void)snprintf(expected, sizeof expected, "%ld\n", (long)getpid());
    check_result(s, expected);
}

static void many_run_at_once(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    options.threads = 16;
    push_many(s, 100);
    start_script(s, options, "echo $REEVE_ID; exit 0");
    await_done(s, 100);
    CHECK_INT(stats(s).retried_total, 0);
}

/* ---- stopping it ---- */

static void a_grandchild_does_not_hold_the_thread(void **state) { /* W12 */
    struct scene *s = *state;
    struct pids pids = make_pids();
    run_script(s, TWO_PROCESSES "echo mine", REEVE_DONE);
    check_result(s, "mine\n");
    CHECK(eventually(all_are_gone, pids.file, SOON_MS));
    drop_pids(&pids);
}

static void a_grandchild_that_writes_for_ever_does_not_either(void **state) {
    struct scene *s = *state;
    run_script(s, "setsid yes & echo first; exit 3", REEVE_FAILED);
    check_error(s, "a", "exit:3");
}

static void a_timed_out_program_is_told_first(void **state) { /* A123 */
    struct scene *s = *state;
    push_with(s, (struct reeve_push){.id = "a", .attempts_max = 1, .timeout_ms = 200});
    start_script(s, options_of(s), "trap 'echo told >&2; exit 0' TERM; while :; do :; done");
    await_state(s, "a", REEVE_FAILED); /* though it ended with 0 */
    check_error(s, "a", "timeout");
    check_message(s, "told");
}

static void a_timed_out_program_that_is_deaf_is_killed(void **state) { /* W11 */
    struct scene *s = *state;
    struct pids pids = make_pids();
    struct reeve_worker_options options = options_of(s);
    options.grace_ms = 50;
    options.timeout_ms = 300;
    push_with(s, (struct reeve_push){.id = "a", .attempts_max = 1});
    start_script(s, options, DEAF TWO_PROCESSES "wait; wait");
    await_pids(&pids);
    await_state(s, "a", REEVE_FAILED);
    check_error(s, "a", "timeout");
    CHECK(eventually(all_are_gone, pids.file, SOON_MS));
    drop_pids(&pids);
}

static void a_cancelled_program_is_stopped(void **state) {
    struct scene *s = *state;
    struct pids pids = make_pids();
    push(s, "a");
    start_script(s, options_of(s), TWO_PROCESSES "wait");
    await_pids(&pids);
    CHECK_OK(reeve_cancel(s->r, "q", "a", NULL));
    await_state(s, "a", REEVE_CANCELLED);
    CHECK(eventually(all_are_gone, pids.file, SOON_MS));
    drop_pids(&pids);
}

static void a_program_whose_lease_is_lost_is_killed_at_once(void **state) { /* W6 */
    struct scene *s = *state;
    struct pids pids = make_pids();
    struct reeve_worker_options options = options_of(s);
    struct reeve_tended tended = {.size = sizeof tended};
    options.lease_ms = 3000; /* long enough for a busy machine to begin within it */
    push_with(s, (struct reeve_push){.id = "a", .backoff_ms = 3600000});
    start_script(s, options, DEAF TWO_PROCESSES "wait; wait"); /* grace 25 s: it gets none */
    await_pids(&pids);
    fail_for_ever(s, RV_OP_RENEW);
    move_clock(s, 3001);
    CHECK_OK(reeve_tend(s->r, &tended));
    CHECK_INT(tended.lapsed, 1);
    int64_t from = elapsed_ms();
    heal(s);
    CHECK(eventually(all_are_gone, pids.file, SOON_MS));
    CHECK_BETWEEN(elapsed_ms() - from, 0, 20000);
    await_log(s, "lease.lost queue=q id=a attempt=1");
    end_worker(s, 0);
    CHECK_INT(log_count(s, "job.fenced"), 0); /* nothing was handed in */
    drop_pids(&pids);
}

static void a_program_in_doubt_is_stopped_if_so_told(void **state) { /* J8 */
    struct scene *s = *state;
    struct pids pids = make_pids();
    struct reeve_worker_options options = options_of(s);
    options.lease_ms = 2000;
    options.in_doubt = REEVE_DOUBT_STOP;
    push(s, "a");
    start_script(s, options, TWO_PROCESSES "wait");
    await_pids(&pids);
    fail_for_ever(s, RV_OP_RENEW);
    await_state(s, "a", REEVE_READY); /* handed back, and the store took it */
    check_attempts(s, "a", 0, 1);
    CHECK(eventually(all_are_gone, pids.file, SOON_MS));
    drop_pids(&pids);
}

static void at_the_end_of_grace_programs_are_ended_and_handed_back(void **state) { /* W15 */
    struct scene *s = *state;
    struct pids pids = make_pids();
    push(s, "a");
    start_script(s, options_of(s), TWO_PROCESSES "wait");
    await_pids(&pids);
    reeve_worker_stop(s->worker, SOON_MS); /* plenty */
    CHECK_FAILS(reeve_worker_wait(s->worker, 50), REEVE_ETIMEDOUT);
    check_state(s, "a", REEVE_RUNNING);
    end_worker(s, 0); /* a second word: now */
    check_state(s, "a", REEVE_READY);
    check_attempts(s, "a", 0, 1);
    CHECK(eventually(all_are_gone, pids.file, SOON_MS));
    drop_pids(&pids);
}

static void a_program_may_finish_within_the_grace(void **state) {
    struct scene *s = *state;
    struct pids pids = make_pids();
    push(s, "a");
    start_script(s, options_of(s),
                 "echo $$ > $PIDS; until [ -e $PIDS.go ]; do sleep 0.01; done; echo whole");
    await_pids(&pids);
    reeve_worker_stop(s->worker, SOON_MS);
    char go[4096];
    (void)snprintf(go, sizeof go, "%s.go", pids.file);
    int fd = open(go, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && close(fd) == 0);
    CHECK_OK(reeve_worker_wait(s->worker, SOON_MS));
    check_result(s, "whole\n");
    drop_pids(&pids);
}

/* ---- the guardian ---- */

static void a_dead_guardian_is_replaced(void **state) {
    struct scene *s = *state;
    struct pids pids = make_pids();
    push(s, "a");
    start_script(s, options_of(s), TWO_PROCESSES "wait");
    await_pids(&pids);
    long first = await_guardian((long)getpid(), 0);
    CHECK_INT(kill((pid_t)first, SIGKILL), 0);
    await_log(s, "guardian.replaced");
    check_state(s, "a", REEVE_RUNNING); /* nobody was harmed */
    CHECK(!all_are_gone(pids.file));
    long second = await_guardian((long)getpid(), first);
    end_worker(s, 0);
    CHECK(is_gone(second));
    drop_pids(&pids);
}

/* In a process of its own: a worker with one program, until it is killed. */
static void work_until_killed(void) {
    struct reeve_push push = {.size = sizeof push, .queue = "q"};
    struct reeve_worker_options options = {.size = sizeof options, .threads = 1};
    static const char *const queues[] = {"q", NULL};
    const char *const argv[] = {"sh", "-c", DEAF TWO_PROCESSES "wait; wait", NULL};
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

static void nothing_outlives_a_killed_worker(void **state) { /* W3 */
    (void)state;
    struct pids pids = make_pids();
    pid_t worker = fork();
    CHECK(worker >= 0);
    if (worker == 0) work_until_killed();
    await_pids(&pids);
    CHECK(!all_are_gone(pids.file));
    CHECK_INT(kill(worker, SIGKILL), 0);
    CHECK_INT(waitpid(worker, NULL, 0), worker);
    CHECK(eventually(all_are_gone, pids.file, SOON_MS));
    drop_pids(&pids);
}

static void a_new_guardian_knows_the_old_ones_groups(void **state) {
    (void)state;
    struct pids pids = make_pids();
    pid_t worker = fork();
    CHECK(worker >= 0);
    if (worker == 0) work_until_killed();
    await_pids(&pids);
    long first = await_guardian(worker, 0);
    CHECK_INT(kill((pid_t)first, SIGKILL), 0);
    (void)await_guardian(worker, first);
    CHECK_INT(kill(worker, SIGKILL), 0);
    CHECK_INT(waitpid(worker, NULL, 0), worker);
    CHECK(eventually(all_are_gone, pids.file, SOON_MS));
    drop_pids(&pids);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_outlives_a_killed_worker), /* these first: they fork */
        cmocka_unit_test(a_new_guardian_knows_the_old_ones_groups),
        SCENE_TEST(the_body_goes_in_and_the_result_comes_out),
        SCENE_TEST(a_large_body_comes_back_whole),
        SCENE_TEST(a_program_need_not_read_its_body),
        SCENE_TEST(no_output_is_the_empty_result),
        SCENE_TEST(output_up_to_the_limit_is_kept),
        SCENE_TEST(a_flood_of_output_hurts_only_its_job),
        SCENE_TEST(exit_65_gives_up),
        SCENE_TEST(exit_75_hands_back),
        SCENE_TEST(any_other_exit_is_a_failed_attempt),
        SCENE_TEST(an_exit_without_words_has_a_message),
        SCENE_TEST(a_signal_is_a_failed_attempt),
        SCENE_TEST(of_much_talk_the_end_is_kept),
        SCENE_TEST(a_program_that_is_not_there),
        SCENE_TEST(a_file_that_is_no_program),
        SCENE_TEST(its_environment_tells_of_the_job),
        SCENE_TEST(credentials_stay_with_the_worker),
        SCENE_TEST(it_inherits_no_descriptor),
        SCENE_TEST(it_inherits_no_signal_settings),
        SCENE_TEST(it_is_a_child_in_a_group_of_its_own),
        SCENE_TEST(many_run_at_once),
        SCENE_TEST(a_grandchild_does_not_hold_the_thread),
        SCENE_TEST(a_grandchild_that_writes_for_ever_does_not_either),
        SCENE_TEST(a_timed_out_program_is_told_first),
        SCENE_TEST(a_timed_out_program_that_is_deaf_is_killed),
        SCENE_TEST(a_cancelled_program_is_stopped),
        SCENE_TEST(a_program_whose_lease_is_lost_is_killed_at_once),
        SCENE_TEST(a_program_in_doubt_is_stopped_if_so_told),
        SCENE_TEST(at_the_end_of_grace_programs_are_ended_and_handed_back),
        SCENE_TEST(a_program_may_finish_within_the_grace),
        SCENE_TEST(a_dead_guardian_is_replaced),
    };
    return SCENE_MAIN(argc, argv, tests);
}
