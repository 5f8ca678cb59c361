/* _GNU_SOURCE: MAP_ANONYMOUS. */
#define _GNU_SOURCE
/* kill -9 before the nth message to a server, for every n, within each step that moves a stream
 * (A178, T52): whoever comes next finds it, once. The steps of the published layout in a cluster
 * are several messages (docs/streams.md); else each is one script. Every step runs in a process
 * of its own. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/limits.h"
#include "harness/check.h"
#include "store/store.h"

enum { LEASE_MS = 30000, TIMEOUT_MS = 20000, HOLDER = 7, SENDS_MAX = 100 };

/* ---- messages that are counted ---- by the linker: --wrap=send */
static int sends, kill_at; /* 0: never */

ssize_t __real_send(int fd, const void *data, size_t size, int flags); // NOLINT: the linker's name
ssize_t __wrap_send(int fd, const void *data, size_t size, int flags); // NOLINT

ssize_t __wrap_send(int fd, const void *data, size_t size, int flags) { // NOLINT
    if (kill_at && ++sends == kill_at) (void)raise(SIGKILL);
    return __real_send(fd, data, size, flags);
}

/* ---- words ---- */
struct round {
    struct rv_store *store;
    struct rv_group group;
    struct rv_error err;
};

struct shared {      /* by all processes */
    uint64_t token;  /* of who owns the stream */
    bool dead, gone; /* what may have become of it */
};

static const char *url;
static struct shared *shared;
static struct rv_clock store_clock;

static void require(struct round *r, bool holds, const char *what) {
    if (holds) return;
    (void)fprintf(stderr, "# %s: %s: %s\n", r->group.name, what, r->err.text);
    _exit(99);
}

static bool offer(struct round *r) {
    bool known;
    return !rv_store_stream_offer(r->store, &r->group, "s", "{}", 2, &known, &r->err);
}

static size_t take_as(struct round *r, uint64_t holder) {
    const struct rv_stream_ask ask = {.member = "m",
                                      .by = "m",
                                      .holder = holder,
                                      .want = 2,
                                      .lease_ms = LEASE_MS,
                                      .timeout_ms = TIMEOUT_MS};
    struct rv_streams taken;
    require(r, !rv_store_stream_take(r->store, &r->group, &ask, &taken, &r->err), "take");
    shared->token = taken.token;
    size_t count = taken.count;
    rv_streams_release(&taken);
    return count;
}

static struct rv_stream_ref ref(void) {
    return (struct rv_stream_ref){.name = "s", .holder = HOLDER, .token = shared->token};
}

static void recover_all(struct round *r, int64_t max_retries) {
    char after[RV_STREAM_CURSOR_SIZE] = "";
    do {
        struct rv_stream_scan scan = {
            .min_idle_ms = LEASE_MS, .max_retries = max_retries, .after = *after ? after : NULL};
        struct rv_stream_scanned scanned;
        require(r, !rv_store_stream_recover(r->store, &r->group, &scan, &scanned, &r->err), "scan");
        memcpy(after, scanned.cursor, sizeof after);
        rv_stream_scanned_release(&scanned);
    } while (*after);
}

static size_t letter_ids(struct round *r, char id[RV_LETTER_ID_MAX + 1]) {
    struct rv_letters letters;
    require(r, !rv_store_stream_letters(r->store, &r->group, NULL, 10, &letters, &r->err),
            "letters");
    size_t count = letters.count;
    if (count) (void)snprintf(id, RV_LETTER_ID_MAX + 1, "%s", letters.letters[0]->id);
    rv_letters_release(&letters);
    return count;
}

/* ---- steps, and what comes before them ---- */
static void nothing(struct round *r) {
    (void)r;
}
static void be_offered(struct round *r) {
    require(r, offer(r), "offer");
}
static void be_owned(struct round *r) {
    be_offered(r);
    require(r, take_as(r, HOLDER) == 1, "one is taken");
}
static void be_dead(struct round *r) {
    struct rv_stream_ref mine;
    struct rv_stream_fault fault = {.reason = "broken", .max_retries = 0};
    bool dead = false;
    be_owned(r);
    mine = ref();
    require(r,
            !rv_store_stream_yield(r->store, &r->group, &mine, &fault, TIMEOUT_MS, &dead, &r->err),
            "fail");
    require(r, dead, "a dead letter");
    recover_all(r, 0);
}

static void do_offer(struct round *r) {
    (void)offer(r);
}
static void do_take(struct round *r) {
    (void)take_as(r, HOLDER);
}
static void do_renew(struct round *r) {
    struct rv_stream_renewal renewal = {
        .name = "s", .holder = HOLDER, .token = shared->token, .lease_ms = LEASE_MS};
    (void)rv_store_stream_renew(r->store, &r->group, &renewal, 1, TIMEOUT_MS, &r->err);
}
static void do_end(struct round *r) {
    struct rv_stream_ref mine = ref();
    (void)rv_store_stream_end(r->store, &r->group, &mine, TIMEOUT_MS, &r->err);
}
static void give_back(struct round *r, const struct rv_stream_fault *fault) {
    struct rv_stream_ref mine = ref();
    bool dead;
    (void)rv_store_stream_yield(r->store, &r->group, &mine, fault, TIMEOUT_MS, &dead, &r->err);
}
static void do_yield(struct round *r) {
    give_back(r, NULL);
}
static void do_fail(struct round *r) {
    struct rv_stream_fault fault = {.reason = "broken", .max_retries = 0};
    give_back(r, &fault);
}
static void do_recover(struct round *r) {
    rv_clock_move(&store_clock, 3 * LEASE_MS);
    recover_all(r, REEVE_NONE);
}
static void do_bury(struct round *r) {
    rv_clock_move(&store_clock, 3 * LEASE_MS);
    recover_all(r, 0);
}
static void do_claim(struct round *r) {
    rv_clock_move(&store_clock, 3 * LEASE_MS);
    (void)rv_store_stream_claim(r->store, &r->group, "s", &r->err);
}
static void do_revive(struct round *r) {
    char id[RV_LETTER_ID_MAX + 1];
    if (letter_ids(r, id)) (void)rv_store_stream_revive(r->store, &r->group, id, &r->err);
}

/* ---- who comes next ---- */
static void find_it(struct round *r) {
    char id[RV_LETTER_ID_MAX + 1];
    rv_clock_move(&store_clock, 20 * LEASE_MS);
    recover_all(r, REEVE_NONE);
    size_t count = take_as(r, HOLDER);
    require(r, count <= 1, "one owner");
    if (!count) {
        bool letter = letter_ids(r, id) > 0;
        require(r, letter || shared->gone, "it is not lost");
        if (!letter) return;
        require(r, shared->dead, "no dead letter but where it should be one");
        require(r, !rv_store_stream_revive(r->store, &r->group, id, &r->err), "revive");
        require(r, take_as(r, HOLDER + 1) == 1, "the revived one is taken");
        return;
    }
    do_end(r);
    struct reeve_group stats;
    require(r, !rv_store_stream_stats(r->store, &r->group, &stats, &r->err), "stats");
    require(r, stats.waiting == 0 && stats.owned == 0, "it was there once");
}

/* ---- rounds ---- */
typedef void step_fn(struct round *r);

/* In a process of its own, that is killed at the nth message. True: it was not. */
static bool run(const char *group, step_fn *step, int nth) {
    fflush(stdout);
    pid_t pid = fork();
    int status = -1;
    CHECK(pid >= 0);
    if (pid == 0) {
        struct round r = {.group = {.name = group, .compat = getenv("STREAMS_COMPAT") != NULL}};
        const struct rv_log log = {0};
        struct rv_store_config config = {
            .space = "killed", .timeout_ms = TIMEOUT_MS, .log = &log, .clock = &store_clock};
        require(&r, !rv_store_open(&r.store, url, &config, &r.err), "open");
        kill_at = nth;
        step(&r);
        kill_at = 0;
        rv_store_close(r.store);
        _exit(0);
    }
    CHECK_INT(waitpid(pid, &status, 0), pid);
    if (nth && WIFSIGNALED(status)) return WTERMSIG(status) != SIGKILL;
    CHECK_INT(status, 0);
    return true;
}

static void sweep(const char *name, step_fn *before, step_fn *step) {
    char group[64];
    bool through = false;
    int nth = 1;
    for (; !through; nth++) {
        CHECK(nth < SENDS_MAX);
        (void)snprintf(group, sizeof group, "%s-%d-%d", name, (int)getpid(), nth);
        (void)run(group, before, 0);
        through = run(group, step, nth);
        if (step == do_offer) (void)run(group, do_offer, 0); /* who is unsure asks again */
        (void)run(group, find_it, 0);
    }
    CHECK(nth > 2); /* one message at least */
}

static void expect(bool dead, bool gone) {
    *shared = (struct shared){.dead = dead, .gone = gone};
}

static void in_steps_that_keep_it(void **state) { /* A178 R06 */
    (void)state;
    expect(false, false);
    sweep("offer", nothing, do_offer);
    sweep("take", be_offered, do_take);
    sweep("renew", be_owned, do_renew);
    sweep("yield", be_owned, do_yield);
}

static void in_steps_that_recover_it(void **state) { /* A178 T52 S4 */
    (void)state;
    expect(false, false);
    sweep("recover", be_owned, do_recover);
    sweep("claim", be_owned, do_claim);
}

static void in_an_end(void **state) { /* A178 R18 T50 T65 */
    (void)state;
    expect(false, true);
    sweep("end", be_owned, do_end);
}

static void in_steps_of_dead_letters(void **state) { /* A178 R08 R09 */
    (void)state;
    expect(true, false);
    sweep("fail", be_owned, do_fail);
    sweep("bury", be_owned, do_bury);
    sweep("revive", be_dead, do_revive);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_steps_that_keep_it),
        cmocka_unit_test(in_steps_that_recover_it),
        cmocka_unit_test(in_an_end),
        cmocka_unit_test(in_steps_of_dead_letters),
    };
    void *memory =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (argc < 2 || memory == MAP_FAILED) return 2;
    url = argv[1];
    shared = memory;
    return cmocka_run_group_tests_name("killed", tests, NULL, NULL);
}
