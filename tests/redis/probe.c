/* Whether a server that stood still does so yet. */
#include <signal.h>
#include <stdio.h>

#include "harness/eventually.h"
#include "redis/redis_tests.h"
#include "store/redis/nodes.h"

enum { BOUND_MS = 20000, LATER_MS = 5000 }; /* later: when a first rest is over */

/* The one server of nodes, as one of several would be known. */
struct known {
    struct rv_rd_nodes nodes;
    const struct rv_rd_target *target;
    struct rv_rd_probe probe;
};

static struct known know(const struct line *line) {
    struct known known = {.nodes = {.kind = "redis"}};
    char port[16];
    (void)snprintf(port, sizeof port, "%d", line->server->port);
    known.target = rv_rd_nodes_get(&known.nodes, "127.0.0.1", port);
    CHECK(known.target);
    rv_rd_probe_init(&known.probe);
    return known;
}

static void forget(struct known *known) {
    rv_rd_probe_close(&known->probe);
    rv_rd_nodes_release(&known->nodes);
}

static int64_t now_ms(void) {
    return rv_clock_boot_ms(&rv_clock_real);
}

static bool answers(void *arg) {
    struct known *known = arg;
    return rv_rd_probe_look(&known->probe, known->target, now_ms());
}

static void one_that_stands_still_is_not_waited_for(void **state) {
    struct line *line = *state;
    line->server = server_start("");
    struct known known = know(line);
    CHECK_INT(kill(line->server->pid, SIGSTOP), 0);
    int64_t from_ms = elapsed_ms();
    for (int i = 0; i < 1000; i++)
        CHECK(!answers(&known));
    CHECK_BETWEEN(elapsed_ms() - from_ms, 0, 5000);
    CHECK_INT(kill(line->server->pid, SIGCONT), 0);
    CHECK(eventually(answers, &known, BOUND_MS));
    forget(&known);
}

/* It wants TLS, which the probe does not speak: it says so, and that is enough. */
static void a_refusal_is_a_sign_of_life(void **state) {
    struct line *line = *state;
    line->server = server_start("tls");
    struct known known = know(line);
    CHECK(eventually(answers, &known, BOUND_MS));
    forget(&known);
}

static void nobody_costs_no_time_either(void **state) {
    struct line *line = *state;
    line->server = server_start("");
    struct known known = know(line);
    server_stop(line->server);
    CHECK(eventually(answers, &known, BOUND_MS));
    forget(&known);
}

static bool is_asked(void *arg) {
    const struct known *known = arg;
    return !rv_rd_target_rests(known->target, now_ms() + LATER_MS);
}

static void it_rests_until_it_answers_and_then_one_asks(void **state) {
    struct line *line = *state;
    line->server = server_start("");
    struct known known = know(line);
    CHECK(!rv_rd_target_rests(known.target, now_ms()));
    CHECK_INT(kill(line->server->pid, SIGSTOP), 0);
    rv_rd_target_stalled(known.target, now_ms());
    CHECK(rv_rd_target_rests(known.target, now_ms()));
    CHECK(!is_asked(&known));
    CHECK_INT(kill(line->server->pid, SIGCONT), 0);
    CHECK(rv_rd_target_rests(known.target, now_ms())); /* for a while in any case */
    CHECK(eventually(is_asked, &known, BOUND_MS));
    CHECK(!is_asked(&known)); /* another does */
    rv_rd_target_answered(known.target);
    CHECK(is_asked(&known));
    forget(&known);
}

const struct CMUnitTest probe_tests[] = {
    REDIS_TEST(one_that_stands_still_is_not_waited_for),
    REDIS_TEST(a_refusal_is_a_sign_of_life),
    REDIS_TEST(nobody_costs_no_time_either),
    REDIS_TEST(it_rests_until_it_answers_and_then_one_asks),
};
const size_t probe_test_count = sizeof probe_tests / sizeof *probe_tests;
