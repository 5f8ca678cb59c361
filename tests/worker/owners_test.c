/* _GNU_SOURCE: MAP_ANONYMOUS. */
#define _GNU_SOURCE
/* 2000 streams over ten members, of which two are killed (A166): the dead own none, the living own
 * all, each exactly one, and who believes to own a stream is whom the store names. Members are
 * processes that have nothing but callbacks; where a store is private to its handle they are of one
 * process, and the dead are owners that never renew. OWNERS_STREAMS: how many. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/handle.h"
#include "core/limits.h"
#include "harness/check.h"
#include "harness/eventually.h"

enum {
    MEMBERS = 10,
    DEAD = 2, /* the first of them */
    STREAMS_MAX = 20000,
    LEASE_MS = 5000,
    SCAN_MS = 500,
    PATIENCE_MS = 240000,
};

/* What each member believes: the token of each stream that it owns, else 0. Shared by processes. */
struct beliefs {
    _Atomic uint64_t tokens[MEMBERS][STREAMS_MAX];
};

struct crowd {
    const char *url;
    int streams;
    struct beliefs *beliefs;
    pid_t pids[MEMBERS];
    int gates[MEMBERS]; /* a byte lets a member join, the end of the pipe lets it leave */
    bool dead[MEMBERS];
    reeve *r; /* to look with */
};

struct seat {
    struct beliefs *beliefs;
    int me;
    reeve_member *member;
};

/* ---- a member ---- */
static int number_of(const struct reeve_stream *stream) {
    return (int)strtol(stream->name + 1, NULL, 10);
}

static void on_owned(void *arg, const struct reeve_stream *stream) {
    struct seat *seat = arg;
    atomic_store(&seat->beliefs->tokens[seat->me][number_of(stream)], stream->token);
}

static void on_lost(void *arg, const struct reeve_stream *stream, enum reeve_lost why) {
    struct seat *seat = arg;
    (void)why;
    atomic_store(&seat->beliefs->tokens[seat->me][number_of(stream)], 0);
}

/* The first two own as many as is fair, so that much dies with them; the others, what is left. */
static int64_t share_of(int streams, int me) {
    return me < DEAD ? streams / MEMBERS : streams / (MEMBERS - DEAD);
}

static int join(struct seat *seat, reeve *r, int streams) {
    struct reeve_member_options options = {.size = sizeof options,
                                           .max = share_of(streams, seat->me),
                                           .lease_ms = LEASE_MS,
                                           .scan_ms = SCAN_MS,
                                           .max_retries = REEVE_NONE,
                                           .owned = on_owned,
                                           .lost = on_lost,
                                           .arg = seat};
    return reeve_member_open(&seat->member, r, "g", &options);
}

static reeve *open_store(const char *url, int me) {
    char name[16];
    reeve *r = NULL;
    struct reeve_options options = {
        .size = sizeof options, .name = name, .log_level = REEVE_LOG_ERROR, .timeout_ms = 20000};
    (void)snprintf(name, sizeof name, "m%d", me);
    if (reeve_open(&r, url, &options)) (void)fprintf(stderr, "# open: %s\n", reeve_errmsg());
    return r;
}

static void be_member(const struct crowd *crowd, int me, int gate) {
    struct seat seat = {.beliefs = crowd->beliefs, .me = me};
    char go;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (read(gate, &go, 1) != 1) _exit(0);
    reeve *r = open_store(crowd->url, me);
    if (!r || join(&seat, r, crowd->streams)) _exit(1);
    while (read(gate, &go, 1) > 0) {
    }
    reeve_member_close(seat.member);
    reeve_close(r);
    _exit(0);
}

static void hire(struct crowd *crowd, int me) {
    int ends[2];
    CHECK_INT(pipe(ends), 0);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        (void)close(ends[1]);
        for (int i = 0; i < me; i++)
            (void)close(crowd->gates[i]);
        be_member(crowd, me, ends[0]);
    }
    (void)close(ends[0]);
    crowd->pids[me] = pid;
    crowd->gates[me] = ends[1];
}

/* ---- looking ---- */
struct look {
    const struct crowd *crowd;
    int owned;
    bool wrong; /* the latest: not owned by one that lives, or not as members believe */
};

/* The one that lives and believes to own it; -1 if none does, or several do. */
static int believer_of(const struct crowd *crowd, const struct reeve_stream *stream) {
    int found = -1, number = number_of(stream);
    for (int i = 0; i < MEMBERS; i++) {
        uint64_t token = atomic_load(&crowd->beliefs->tokens[i][number]);
        if (crowd->dead[i] || !token) continue;
        if (found >= 0 || token != stream->token) return -1;
        found = i;
    }
    return found;
}

/* Members of one handle all have its name. */
static int see(void *arg, const struct reeve_stream *stream) {
    struct look *look = arg;
    int believer = believer_of(look->crowd, stream);
    bool owned = stream->state == REEVE_STREAM_OWNED && stream->member && believer >= 0;
    long named = owned ? strtol(stream->member + 1, NULL, 10) : -1;
    look->wrong = !owned || (named != believer && named != MEMBERS);
    look->owned++;
    return look->wrong;
}

static int owned_by(const struct crowd *crowd, int me) {
    int count = 0;
    for (int i = 0; i < crowd->streams; i++)
        count += atomic_load(&crowd->beliefs->tokens[me][i]) != 0;
    return count;
}

/* The store is asked once they believe it: asking is work, too. */
static bool all_owned_once(void *arg) {
    const struct crowd *crowd = arg;
    struct look look = {.crowd = crowd};
    int believed = 0;
    for (int i = 0; i < MEMBERS; i++)
        if (!crowd->dead[i]) believed += owned_by(crowd, i);
    if (believed != crowd->streams) return false;
    int rc = reeve_stream_list(crowd->r, "g", 0, 0, see, &look);
    return !rc && !look.wrong && look.owned == crowd->streams;
}

static bool first_own_theirs(void *arg) {
    const struct crowd *crowd = arg;
    for (int i = 0; i < DEAD; i++)
        if (owned_by(crowd, i) != share_of(crowd->streams, i)) return false;
    return true;
}

static void offer_all(const struct crowd *crowd) {
    char name[16];
    for (int i = 0; i < crowd->streams; i++) {
        (void)snprintf(name, sizeof name, "s%d", i);
        struct reeve_offer offer = {.size = sizeof offer, .group = "g", .name = name};
        CHECK_OK(reeve_stream_offer(crowd->r, &offer, NULL));
    }
}

static void check_figures(const struct crowd *crowd) {
    struct reeve_group *group;
    CHECK_OK(reeve_group_read(crowd->r, "g", 0, &group));
    CHECK_INT(group->owned, crowd->streams);
    CHECK_INT(group->waiting, 0);
    CHECK_INT(group->failed_total, 0);
    CHECK(group->lapsed_total >= (uint64_t)(DEAD * share_of(crowd->streams, 0)));
    reeve_free(group);
}

/* ---- processes ---- */
static void let_join(const struct crowd *crowd, int from, int to) {
    for (int i = from; i < to; i++)
        CHECK_INT(write(crowd->gates[i], "", 1), 1);
}

static void kill_two(struct crowd *crowd) {
    for (int i = 0; i < DEAD; i++) {
        CHECK_INT(kill(crowd->pids[i], SIGKILL), 0);
        CHECK_INT(waitpid(crowd->pids[i], NULL, 0), crowd->pids[i]);
        (void)close(crowd->gates[i]);
        crowd->dead[i] = true;
    }
}

static void let_leave(const struct crowd *crowd) {
    for (int i = DEAD; i < MEMBERS; i++)
        (void)close(crowd->gates[i]);
    for (int i = DEAD; i < MEMBERS; i++) {
        int status;
        CHECK_INT(waitpid(crowd->pids[i], &status, 0), crowd->pids[i]);
        CHECK_INT(status, 0);
    }
}

static void the_living_own_all(void **state) { /* A166 */
    struct crowd *crowd = *state;
    for (int i = 0; i < MEMBERS; i++)
        hire(crowd, i);
    crowd->r = open_store(crowd->url, MEMBERS);
    CHECK(crowd->r);
    offer_all(crowd);
    let_join(crowd, 0, DEAD);
    CHECK(eventually(first_own_theirs, crowd, PATIENCE_MS));
    let_join(crowd, DEAD, MEMBERS);
    CHECK(eventually(all_owned_once, crowd, PATIENCE_MS));
    kill_two(crowd);
    CHECK(eventually(all_owned_once, crowd, PATIENCE_MS));
    check_figures(crowd);
    let_leave(crowd);
    reeve_close(crowd->r);
}

/* ---- one process ---- */

/* Owners that never renew: as dead as can be. */
static void take_and_die(struct crowd *crowd, int me) {
    const struct rv_group group = {.name = "g"};
    int left = (int)share_of(crowd->streams, me);
    for (uint64_t holder = (uint64_t)me * 1000 + 1; left > 0; holder++) {
        struct rv_stream_ask ask = {.member = me ? "m1" : "m0",
                                    .by = me ? "m1" : "m0",
                                    .holder = holder,
                                    .want = left < RV_CLAIM_MAX ? (size_t)left : RV_CLAIM_MAX,
                                    .lease_ms = LEASE_MS,
                                    .timeout_ms = 20000};
        struct rv_streams taken;
        struct rv_error err;
        CHECK_INT(rv_store_stream_take(crowd->r->service.store, &group, &ask, &taken, &err), 0);
        CHECK_INT(taken.count, ask.want);
        left -= (int)taken.count;
        rv_streams_release(&taken);
    }
    crowd->dead[me] = true;
}

static void the_living_of_one_handle_own_all(void **state) { /* A166 */
    struct crowd *crowd = *state;
    struct seat seats[MEMBERS];
    crowd->r = open_store(crowd->url, MEMBERS);
    CHECK(crowd->r);
    offer_all(crowd);
    for (int i = 0; i < DEAD; i++)
        take_and_die(crowd, i);
    for (int i = DEAD; i < MEMBERS; i++) {
        seats[i] = (struct seat){.beliefs = crowd->beliefs, .me = i};
        CHECK_OK(join(&seats[i], crowd->r, crowd->streams));
    }
    CHECK(eventually(all_owned_once, crowd, PATIENCE_MS));
    check_figures(crowd);
    for (int i = DEAD; i < MEMBERS; i++)
        reeve_member_close(seats[i].member);
    reeve_close(crowd->r);
}

int main(int argc, char **argv) {
    const char *streams = getenv("OWNERS_STREAMS");
    struct crowd crowd = {.url = argc > 1 ? argv[1] : "memory:",
                          .streams = streams ? (int)strtol(streams, NULL, 10) : 2000};
    const struct CMUnitTest many[] = {cmocka_unit_test_prestate(the_living_own_all, &crowd)};
    const struct CMUnitTest one[] = {
        cmocka_unit_test_prestate(the_living_of_one_handle_own_all, &crowd)};
    void *shared = mmap(NULL, sizeof *crowd.beliefs, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || crowd.streams < MEMBERS || crowd.streams > STREAMS_MAX) return 2;
    crowd.beliefs = shared;
    if (!strncmp(crowd.url, "memory:", 7))
        return cmocka_run_group_tests_name("owners", one, NULL, NULL);
    return cmocka_run_group_tests_name("owners", many, NULL, NULL);
}
