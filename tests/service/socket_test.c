/* The socket on which programs ask their worker whether their lease is good: what it answers, who
 * may ask, and what hostile guests can do. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/scratch.h"
#include "service/programs.h"

enum { PATH_SIZE = 512 };

/* ---- programs that ask ---- */

/* This program itself, told to ask. */
static const char *self(void) {
    static char path[4096];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
    CHECK(size > 0);
    path[size] = '\0';
    return path;
}

/* What a program that asks prints. */
static int ask_as_program(void) {
    int rc = reeve_check_here();
    (void)printf("%s\n", reeve_errname(rc));
    return 0;
}

/* A script in which $ASK asks. */
static void set_ask(void) {
    char command[4200];
    (void)snprintf(command, sizeof command, "%s --ask", self());
    CHECK_INT(setenv("ASK", command, 1), 0);
}

static void touch(const struct pids *pids, const char *end) {
    char path[4096];
    (void)snprintf(path, sizeof path, "%s%s", pids->file, end);
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && close(fd) == 0);
}

static void a_lease_that_is_good_is_current(void **state) {
    struct scene *s = *state;
    set_ask();
    push_with(s, (struct reeve_push){.id = "a", .body = "x", .body_size = 1});
    push_with(s, (struct reeve_push){.id = "with / and blanks.1 2.3"});
    start_script(s, options_of(s), "$ASK");
    await_state(s, "a", REEVE_DONE);
    check_result(s, "OK\n");
    await_state(s, "with / and blanks.1 2.3", REEVE_DONE);
    struct reeve_job *job = get(s, "with / and blanks.1 2.3");
    CHECK_BYTES(job->result, job->result_size, "OK\n", 3);
    reeve_free(job);
}

static void await_asked(const struct pids *pids, char *out, size_t size) {
    await_pids(pids);
    FILE *file = fopen(pids->file, "re");
    CHECK(file && fgets(out, (int)size, file) && fclose(file) == 0);
}

static bool is_there(void *path) {
    return access(path, F_OK) == 0;
}

/* The worker does not know yet that it lost the lease, or the program would be dead. */
static void a_lease_that_is_lost_is_fenced(void **state) {
    struct scene *s = *state;
    struct pids pids = make_pids();
    struct reeve_tended tended = {.size = sizeof tended};
    char answer[64], here[4096];
    set_ask();
    push_with(s, (struct reeve_push){.id = "a", .backoff_ms = 3600000});
    start_script(s, options_of(s),
                 "touch $PIDS.here; until [ -e $PIDS.go ]; do sleep 0.01; done; "
                 "$ASK > $PIDS.new; mv $PIDS.new $PIDS; sleep 1000");
    (void)snprintf(here, sizeof here, "%s.here", pids.file);
    CHECK(eventually(is_there, here, SOON_MS));
    fail_for_ever(s, RV_OP_RENEW);
    move_clock(s, 30001);
    CHECK_OK(reeve_tend(s->r, &tended));
    CHECK_INT(tended.lapsed, 1);
    touch(&pids, ".go");
    await_asked(&pids, answer, sizeof answer);
    CHECK_STR(answer, "EFENCED\n");
    heal(s);
    await_log(s, "lease.lost");
    drop_pids(&pids);
}

static void a_store_that_is_away_leaves_it_open(void **state) {
    struct scene *s = *state;
    set_ask();
    fail_for_ever(s, RV_OP_CHECK);
    run_script(s, "$ASK", REEVE_DONE);
    check_result(s, "EUNREACHABLE\n");
}

static void a_worker_that_is_gone_leaves_it_open(void **state) {
    struct scene *s = *state;
    set_ask();
    run_script(s, "REEVE_SOCKET=/nonexistent/socket $ASK; REEVE_SOCKET=/dev/null $ASK", REEVE_DONE);
    check_result(s, "EUNREACHABLE\nEUNREACHABLE\n");
}

static void outside_a_handler_nobody_can_be_asked(void **state) {
    struct scene *s = *state;
    CHECK_FAILS(reeve_check_here(), REEVE_ESTATE);
    set_ask();
    run_script(s, "for v in REEVE_SOCKET REEVE_QUEUE REEVE_ID REEVE_LEASE; do env -u $v $ASK; done",
               REEVE_DONE);
    check_result(s, "ESTATE\nESTATE\nESTATE\nESTATE\n");
}

static void what_makes_no_sense_is_refused(void **state) {
    struct scene *s = *state;
    set_ask();
    run_script(s,
               "REEVE_LEASE=1.x $ASK; REEVE_LEASE=-1.2 $ASK; REEVE_LEASE=1 $ASK; "
               "REEVE_LEASE=99999999999999999999.1 $ASK; REEVE_QUEUE='a b' $ASK; "
               "REEVE_LEASE=1.2 $ASK; REEVE_ID=other $ASK; REEVE_SOCKET=$(printf %0200d 0) $ASK",
               REEVE_DONE);
    check_result(s, "EINVAL\nEINVAL\nEINVAL\nEINVAL\nEINVAL\nEFENCED\nEFENCED\nEINVAL\n");
}

/* ---- guests that are no programs of ours ---- */

/* A worker with a program that sits there, and the path of its socket. */
static void start_sitting(struct scene *s, struct pids *pids, char path[PATH_SIZE]) {
    char line[PATH_SIZE];
    push(s, "a");
    start_script(s, options_of(s),
                 "echo $REEVE_SOCKET $REEVE_LEASE > $PIDS.new; mv $PIDS.new $PIDS; sleep 1000");
    await_asked(pids, line, sizeof line);
    CHECK_INT(sscanf(line, "%511s", path), 1);
}

static int connect_to(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct timeval bound = {.tv_sec = SOON_MS / 1000};
    CHECK(fd >= 0);
    CHECK_INT(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof bound), 0);
    CHECK_INT(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

/* All that is answered before the line is hung up. */
static void read_answer(int fd, char *out, size_t size) {
    size_t have = 0;
    ssize_t got;
    while (have < size - 1 && (got = recv(fd, out + have, size - 1 - have, 0)) > 0)
        have += (size_t)got;
    out[have] = '\0';
    CHECK_INT(close(fd), 0);
}

static void check_answer(const char *path, const char *request, size_t size, const char *expected) {
    char answer[2048];
    int fd = connect_to(path);
    CHECK_INT(send(fd, request, size, MSG_NOSIGNAL), (ssize_t)size);
    read_answer(fd, answer, sizeof answer);
    answer[strlen(expected)] = '\0'; /* how it begins */
    CHECK_STR(answer, expected);
}

static void hostile_lines_are_refused(void **state) {
    struct scene *s = *state;
    struct pids pids = make_pids();
    char path[PATH_SIZE], line[4096];
    start_sitting(s, &pids, path);
    static const char *const bad[] = {
        "\n",
        "check\n",
        "check \n",
        "check q/a\n",
        "check q 1.2\n",
        "check /a 1.2\n",
        "check q/ 1.2\n",
        "check q/a 1.2 \n",
        "check q/a  1.2.3\n",
        "check q/a +1.2\n",
        "check q/a 1.18446744073709551616\n",
        "check q/a\x01 1.2\n",
        "CHECK q/a 1.2\n",
        "exchange q/a 1.2\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_answer(path, bad[i], strlen(bad[i]), "refused ");
    memset(line, 'x', sizeof line);
    check_answer(path, line, 639, "refused "); /* as long as it is heard */
    memcpy(line, "check q/", 8);
    line[638] = '\n';
    check_answer(path, line, 639, "refused ");
    check_answer(path, "check q/a 1.2\0.3\n", 17, "fenced\n");
    check_answer(path, "check q/a 1.2\n", 14, "fenced\n"); /* it lives */
    drop_pids(&pids);
}

static void a_request_may_come_in_pieces(void **state) {
    struct scene *s = *state;
    struct pids pids = make_pids();
    char path[PATH_SIZE], answer[64];
    start_sitting(s, &pids, path);
    int fd = connect_to(path);
    for (const char *c = "check q/a 1.2\n"; *c; c++)
        CHECK_INT(send(fd, c, 1, MSG_NOSIGNAL), 1);
    read_answer(fd, answer, sizeof answer);
    CHECK_STR(answer, "fenced\n");
    drop_pids(&pids);
}

static bool is_cut_off(void *arg) {
    char byte;
    return recv(*(int *)arg, &byte, 1, MSG_DONTWAIT) == 0;
}

static void silent_guests_keep_nobody_out(void **state) {
    struct scene *s = *state;
    struct pids pids = make_pids();
    char path[PATH_SIZE];
    int silent[100];
    start_sitting(s, &pids, path);
    for (size_t i = 0; i < 100; i++) /* more than are let in at once */
        silent[i] = connect_to(path);
    check_answer(path, "check q/a 1.2\n", 14, "fenced\n"); /* once those had their time */
    CHECK(eventually(is_cut_off, &silent[0], SOON_MS));
    for (size_t i = 0; i < 100; i++)
        CHECK_INT(close(silent[i]), 0);
    drop_pids(&pids);
}

static void guests_that_leave_do_no_harm(void **state) {
    struct scene *s = *state;
    struct pids pids = make_pids();
    char path[PATH_SIZE];
    start_sitting(s, &pids, path);
    for (int i = 0; i < 200; i++) {
        int fd = connect_to(path);
        if (i % 2) CHECK_INT(send(fd, "check q/a 1.2\n", 14, MSG_NOSIGNAL), 14);
        CHECK_INT(close(fd), 0); /* without waiting for the answer */
    }
    check_answer(path, "check q/a 1.2\n", 14, "fenced\n");
    drop_pids(&pids);
}

/* ---- the socket itself ---- */
static void nobody_else_reaches_it_and_it_goes(void **state) {
    struct scene *s = *state;
    struct pids pids = make_pids();
    struct stat status;
    char path[PATH_SIZE], folder[PATH_SIZE];
    start_sitting(s, &pids, path);
    CHECK_INT(stat(path, &status), 0);
    CHECK(S_ISSOCK(status.st_mode));
    CHECK_INT(status.st_mode & 0777, 0600);
    (void)snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    CHECK_INT(stat(folder, &status), 0);
    CHECK_INT(status.st_mode & 0777, 0700);
    end_worker(s, 0);
    CHECK(stat(path, &status) < 0 && errno == ENOENT);
    CHECK(stat(folder, &status) < 0 && errno == ENOENT);
    drop_pids(&pids);
}

/* In a process of its own: ends with 0 if nothing but the end came back. */
static void ask_as_another(const char *path) {
    char answer[64];
    if (setuid(65534)) _exit(2);
    int fd = connect_to(path);
    (void)send(fd, "check q/a 1.2\n", 14, MSG_NOSIGNAL); /* it may be hung up by now */
    ssize_t size = recv(fd, answer, sizeof answer, 0);
    _exit(size == 0 || (size < 0 && errno == ECONNRESET) ? 0 : 1);
}

static void another_user_is_not_answered(void **state) {
    struct scene *s = *state;
    if (geteuid() != 0) skip(); /* nobody else to be */
    struct pids pids = make_pids();
    char path[PATH_SIZE], folder[PATH_SIZE];
    int status;
    start_sitting(s, &pids, path);
    (void)snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    CHECK(chmod(folder, 0755) == 0 && chmod(path, 0666) == 0); /* the modes alone do not help */
    check_answer(path, "check q/a 1.2\n", 14, "fenced\n");
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) ask_as_another(path);
    CHECK_INT(waitpid(pid, &status, 0), pid);
    CHECK(WIFEXITED(status));
    CHECK_INT(WEXITSTATUS(status), 0);
    drop_pids(&pids);
}

static int count_entries(const char *folder) {
    int count = 0;
    DIR *entries = opendir(folder);
    CHECK(entries);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        count += entry->d_name[0] != '.';
    (void)closedir(entries);
    return count;
}

static void it_is_where_the_user_has_his_sockets(void **state) {
    struct scene *s = *state;
    struct pids pids = make_pids();
    char path[PATH_SIZE];
    CHECK_INT(setenv("XDG_RUNTIME_DIR", pids.folder, 1), 0);
    start_sitting(s, &pids, path);
    CHECK(!strncmp(path, pids.folder, strlen(pids.folder)));
    end_worker(s, 0);
    CHECK_INT(unsetenv("XDG_RUNTIME_DIR"), 0);
    drop_pids(&pids);
}

static void a_path_that_is_too_long_is_not_taken(void **state) {
    struct scene *s = *state;
    struct pids pids = make_pids();
    char path[PATH_SIZE], deep[PATH_SIZE];
    (void)snprintf(deep, sizeof deep, "%s/%0100d", pids.folder, 0);
    CHECK_INT(mkdir(deep, 0700), 0);
    CHECK_INT(setenv("XDG_RUNTIME_DIR", deep, 1), 0);
    start_sitting(s, &pids, path);
    CHECK_INT(unsetenv("XDG_RUNTIME_DIR"), 0);
    CHECK_INT(count_entries(deep), 0);
    check_answer(path, "check q/a 1.2\n", 14, "fenced\n");
    drop_pids(&pids);
}

static void without_programs_there_is_none(void **state) {
    struct scene *s = *state;
    struct pids pids = make_pids();
    CHECK_INT(setenv("XDG_RUNTIME_DIR", pids.folder, 1), 0);
    push(s, "a");
    start(s, options_of(s), succeed, NULL);
    await_state(s, "a", REEVE_DONE);
    CHECK_INT(count_entries(pids.folder), 0);
    CHECK_INT(unsetenv("XDG_RUNTIME_DIR"), 0);
    drop_pids(&pids);
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "--ask")) return ask_as_program();
    const struct CMUnitTest tests[] = {
        SCENE_TEST(a_lease_that_is_good_is_current),
        SCENE_TEST(a_lease_that_is_lost_is_fenced),
        SCENE_TEST(a_store_that_is_away_leaves_it_open),
        SCENE_TEST(a_worker_that_is_gone_leaves_it_open),
        SCENE_TEST(outside_a_handler_nobody_can_be_asked),
        SCENE_TEST(what_makes_no_sense_is_refused),
        SCENE_TEST(hostile_lines_are_refused),
        SCENE_TEST(a_request_may_come_in_pieces),
        SCENE_TEST(silent_guests_keep_nobody_out),
        SCENE_TEST(guests_that_leave_do_no_harm),
        SCENE_TEST(nobody_else_reaches_it_and_it_goes),
        SCENE_TEST(another_user_is_not_answered),
        SCENE_TEST(it_is_where_the_user_has_his_sockets),
        SCENE_TEST(a_path_that_is_too_long_is_not_taken),
        SCENE_TEST(without_programs_there_is_none),
    };
    return SCENE_MAIN(argc, argv, tests);
}
