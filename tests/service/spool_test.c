/* Pushes while the store is away (design.md 8): each is kept, and is in the store once when that is
 * back. A program takes the url of a store (memory: if none). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <reeve.h>

#include "api/handle.h"
#include "core/limits.h"
#include "core/parcel.h"
#include "harness/check.h"
#include "harness/eventually.h"
#include "harness/scratch.h"
#include "store/fault.h"
#include "store/spool.h"

enum { SOON_MS = 30000, LINES_SIZE = 8192 };

static const char *store_url = "memory:";
static int number;

struct world {
    char *folder, *path;
    char space[64];
    reeve *r;
    struct rv_fault_plan plan; /* of r's store, inside of its spool */

    pthread_mutex_t lock; /* guards the log */
    char lines[LINES_SIZE];
};

static void keep_line(void *arg, enum reeve_log_level level, const char *line) {
    struct world *w = arg;
    (void)level;
    (void)pthread_mutex_lock(&w->lock);
    size_t size = strlen(w->lines);
    (void)snprintf(w->lines + size, sizeof w->lines - size, "%s\n", line);
    (void)pthread_mutex_unlock(&w->lock);
}

static bool has_said(struct world *w, const char *text) {
    (void)pthread_mutex_lock(&w->lock);
    bool said = strstr(w->lines, text) != NULL;
    (void)pthread_mutex_unlock(&w->lock);
    return said;
}

struct saying {
    struct world *w;
    const char *text;
};

static bool is_said(void *arg) {
    struct saying *saying = arg;
    return has_said(saying->w, saying->text);
}

/* The forwarder's thread tells of a thing after it was done. */
static void await_said(struct world *w, const char *text) {
    struct saying saying = {w, text};
    CHECK(eventually(is_said, &saying, SOON_MS));
}

static struct reeve_options options_of(struct world *w) {
    return (struct reeve_options){.size = sizeof(struct reeve_options),
                                  .space = w->space,
                                  .name = "tester",
                                  .timeout_ms = 1000,
                                  .log = keep_line,
                                  .log_arg = w,
                                  .spool = w->path};
}

/* Nothing waits yet, so the forwarder leaves the store alone while this is done. */
static void make_faulty(reeve *r, struct rv_fault_plan *plan) {
    struct rv_around *spool = (struct rv_around *)(void *)r->service.spool; /* it is its head */
    CHECK_OK(rv_fault_open(&spool->inner, spool->inner, plan, NULL));
}

static int set_up(void **state) {
    struct world *w = calloc(1, sizeof *w);
    CHECK(w);
    w->folder = scratch_create();
    w->path = scratch_path(w->folder, "deep/in/spool.db");
    CHECK_INT(pthread_mutex_init(&w->lock, NULL), 0);
    (void)snprintf(w->space, sizeof w->space, "spool-%ld-%d", (long)getpid(), number++);
    struct reeve_options options = options_of(w);
    CHECK_OK(reeve_open(&w->r, store_url, &options));
    rv_fault_plan_init(&w->plan);
    make_faulty(w->r, &w->plan);
    *state = w;
    return 0;
}

static int tear_down(void **state) {
    struct world *w = *state;
    reeve_close(w->r);
    rv_fault_plan_release(&w->plan);
    scratch_destroy(w->folder);
    free(w->path);
    (void)pthread_mutex_destroy(&w->lock);
    free(w);
    return 0;
}

static void fail_for_ever(struct world *w, enum rv_fault_kind kind, enum rv_op op) {
    rv_fault_plan_add(&w->plan, (struct rv_fault){.kind = kind, .op = op, .for_ever = true});
}

static void go_away(struct world *w) {
    fail_for_ever(w, RV_FAULT_REFUSE, 0);
}

static void heal(struct world *w) {
    rv_fault_plan_clear(&w->plan);
}

static struct reeve_pushed push_on(reeve *r, struct reeve_push push) {
    struct reeve_pushed out = {.size = sizeof out};
    push.size = sizeof push;
    if (!push.queue) push.queue = "q";
    CHECK_OK(reeve_push(r, &push, &out));
    return out;
}

static void push_as(struct world *w, const char *id, enum reeve_push_status status) {
    struct reeve_pushed out =
        push_on(w->r, (struct reeve_push){.id = id, .body = id, .body_size = strlen(id)});
    CHECK_STR(reeve_push_status_name(out.status), reeve_push_status_name(status));
    CHECK_STR(out.id, id);
}

static struct reeve_spool_info info(reeve *r) {
    struct reeve_spool_info out = {.size = sizeof out};
    CHECK_OK(reeve_spool_read(r, &out));
    return out;
}

static bool is_empty(void *arg) {
    return !info(((struct world *)arg)->r).waiting;
}

static void await_empty(struct world *w) {
    CHECK(eventually(is_empty, w, SOON_MS));
}

static struct reeve_queue stats_of(struct world *w) {
    struct reeve_queue *queue, out;
    CHECK_OK(reeve_queue_read(w->r, "q", &queue));
    out = *queue;
    reeve_free(queue);
    return out;
}

static void check_there(struct world *w, const char *id, enum reeve_state state) {
    struct reeve_job *job;
    CHECK_OK(reeve_get(w->r, "q", id, &job));
    CHECK_STR(reeve_state_name(job->state), reeve_state_name(state));
    reeve_free(job);
}

static bool pushes_go_through(void *arg) {
    struct world *w = arg;
    return push_on(w->r, (struct reeve_push){.id = "probe"}).status != REEVE_SPOOLED;
}

/* ---- what is kept comes through ---- */
static void it_is_kept_and_forwarded(void **state) {
    struct world *w = *state;
    struct reeve_job *job;
    struct stat about;
    push_as(w, "before", REEVE_QUEUED);
    go_away(w);
    struct reeve_pushed out = push_on(w->r, (struct reeve_push){.id = "a", .kind = "k"});
    CHECK_INT(out.status, REEVE_SPOOLED);
    CHECK_INT(out.state, 0);
    CHECK_INT(info(w->r).waiting, 1);
    CHECK_INT(reeve_get(w->r, "q", "a", &job), REEVE_EUNREACHABLE);
    CHECK_INT(stat(w->path, &about), 0);
    CHECK_INT(about.st_mode & 0777, 0600);
    CHECK(has_said(w, "spool.keeping"));
    heal(w);
    await_empty(w);
    CHECK_OK(reeve_get(w->r, "q", "a", &job));
    CHECK_STR(job->kind, "k");
    CHECK_INT(job->state, REEVE_READY);
    reeve_free(job);
    CHECK(eventually(pushes_go_through, w, SOON_MS));
    await_said(w, "spool.emptied");
}

static void an_unsure_push_is_there_once(void **state) {
    struct world *w = *state;
    fail_for_ever(w, RV_FAULT_LOSE, RV_OP_PUSH);
    push_as(w, "a", REEVE_SPOOLED);
    CHECK_OK(reeve_cancel(w->r, "q", "a", NULL)); /* which would be queued anew by another push */
    heal(w);
    await_empty(w);
    check_there(w, "a", REEVE_CANCELLED);
    CHECK_INT(stats_of(w).pushed_total, 1);
}

static void one_lost_answer_is_no_outage(void **state) {
    struct world *w = *state;
    rv_fault_plan_add(&w->plan, (struct rv_fault){.kind = RV_FAULT_LOSE, .op = RV_OP_PUSH});
    push_as(w, "a", REEVE_QUEUED);
    CHECK_INT(info(w->r).waiting, 0);
}

static void all_that_a_push_says_is_kept(void **state) {
    struct world *w = *state;
    static const char body[] = "\0bytes\xff";
    struct reeve_job *job;
    go_away(w);
    (void)push_on(w->r, (struct reeve_push){.id = "a",
                                            .kind = "k",
                                            .body = body,
                                            .body_size = sizeof body,
                                            .priority = -8,
                                            .attempts_max = 7,
                                            .backoff = REEVE_LINEAR,
                                            .backoff_ms = 11,
                                            .backoff_ms_max = 22,
                                            .timeout_ms = 33,
                                            .keep_ms = 44});
    heal(w);
    await_empty(w);
    CHECK_OK(reeve_get(w->r, "q", "a", &job));
    CHECK_STR(job->kind, "k");
    CHECK_INT(job->body_size, sizeof body);
    CHECK(!memcmp(job->body, body, sizeof body));
    CHECK_INT(job->priority, -8);
    CHECK_INT(job->attempts_max, 7);
    CHECK_INT(job->backoff, REEVE_LINEAR);
    CHECK_INT(job->backoff_ms, 11);
    CHECK_INT(job->backoff_ms_max, 22);
    CHECK_INT(job->timeout_ms, 33);
    CHECK_INT(job->keep_ms, 44);
    reeve_free(job);
}

static void who_waits_in_the_same_call_is_told_that_it_was_kept(void **state) {
    struct world *w = *state;
    struct reeve_push push = {.size = sizeof push, .queue = "q", .id = "a"};
    struct reeve_pushed out = {.size = sizeof out};
    struct reeve_job *job;
    go_away(w);
    CHECK_FAILS(reeve_push_wait(w->r, &push, SOON_MS, &out, &job), REEVE_EUNREACHABLE);
    CHECK_INT(out.status, REEVE_SPOOLED);
    CHECK(!job);
    heal(w);
    await_empty(w);
    CHECK_FAILS(reeve_wait(w->r, "q", "a", 0, &job), REEVE_ETIMEDOUT);
    reeve_free(job);
}

static void a_delay_counts_from_the_push(void **state) {
    struct world *w = *state;
    enum { HOUR_MS = 3600000 };
    struct reeve_job *job;
    go_away(w);
    int64_t before_ms = rv_clock_wall_ms(&rv_clock_real);
    (void)push_on(w->r, (struct reeve_push){.id = "a", .delay_ms = HOUR_MS});
    int64_t after_ms = rv_clock_wall_ms(&rv_clock_real);
    heal(w);
    await_empty(w);
    CHECK_OK(reeve_get(w->r, "q", "a", &job));
    CHECK_INT(job->state, REEVE_DELAYED);
    CHECK(job->run_at_ms >= before_ms + HOUR_MS && job->run_at_ms <= after_ms + HOUR_MS);
    reeve_free(job);
}

static void the_largest_body_fits(void **state) {
    struct world *w = *state;
    char *body = calloc(1, REEVE_BODY_MAX);
    struct reeve_push pushes[2] = {
        {.size = sizeof *pushes,
         .queue = "q",
         .id = "a",
         .body = body,
         .body_size = REEVE_BODY_MAX},
        {.size = sizeof *pushes,
         .queue = "q",
         .id = "b",
         .body = body,
         .body_size = REEVE_BODY_MAX},
    };
    CHECK(body);
    go_away(w);
    CHECK_OK(reeve_push_many(w->r, pushes, 2, NULL));
    heal(w);
    await_empty(w);
    check_there(w, "a", REEVE_READY);
    check_there(w, "b", REEVE_READY);
    free(body);
}

static void many_at_once(void **state) {
    struct world *w = *state;
    enum { COUNT = 40 };
    struct reeve_push pushes[COUNT];
    struct reeve_pushed outs[COUNT];
    char ids[COUNT][8];
    for (int i = 0; i < COUNT; i++) {
        (void)snprintf(ids[i], sizeof ids[i], "%d", i);
        pushes[i] = (struct reeve_push){.size = sizeof *pushes,
                                        .queue = i % 2 ? "q" : "r",
                                        .id = ids[i],
                                        .priority = i == 7 ? 99 : 0};
        outs[i].size = sizeof outs[i];
    }
    go_away(w);
    CHECK_INT(reeve_push_many(w->r, pushes, COUNT, outs), REEVE_EINVAL);
    for (int i = 0; i < COUNT; i++) {
        CHECK_INT(outs[i].error, i == 7 ? REEVE_EINVAL : 0);
        CHECK_INT(outs[i].status, i == 7 ? 0 : REEVE_SPOOLED);
    }
    heal(w);
    await_empty(w);
    CHECK_INT(stats_of(w).pushed_total, COUNT / 2 - 1);
}

/* ---- order ---- */
static void later_pushes_wait_behind(void **state) {
    struct world *w = *state;
    static const char *const queues[] = {"q", NULL};
    reeve_task *task;
    fail_for_ever(w, RV_FAULT_REFUSE, RV_OP_QUEUES); /* which the forwarder asks for first */
    rv_fault_plan_add(&w->plan, (struct rv_fault){.kind = RV_FAULT_REFUSE, .op = RV_OP_PUSH});
    push_as(w, "a", REEVE_SPOOLED);
    push_as(w, "b", REEVE_SPOOLED); /* the store would have it */
    heal(w);
    await_empty(w);
    CHECK_OK(reeve_claim(w->r, queues, 10000, 0, &task));
    CHECK_STR(reeve_task_job(task)->id, "a");
    reeve_task_drop(task);
}

/* ---- what the store will not have ---- */
static void a_full_queue_is_tried_again(void **state) {
    struct world *w = *state;
    struct reeve_queue_settings one = {.size = sizeof one, .max_length = 1};
    CHECK_OK(reeve_queue_set(w->r, "q", &one));
    push_as(w, "a", REEVE_QUEUED);
    go_away(w);
    push_as(w, "b", REEVE_SPOOLED);
    heal(w);
    struct reeve_spool_info out = {.size = sizeof out};
    CHECK_OK(reeve_spool_forward(w->r, &out));
    await_said(w, "spool.put_off"); /* by us, or by the thread that was there first */
    CHECK_INT(info(w->r).waiting, 1);
    CHECK_INT(info(w->r).refused, 0);
    CHECK_OK(reeve_queue_purge(w->r, "q", 0, NULL));
    await_empty(w);
    check_there(w, "b", REEVE_READY);
}

/* What no push of ours would ever put there. */
static void plant(struct world *w, const void *bytes, size_t size) {
    struct rv_store *file;
    struct rv_pushed out;
    struct rv_new_job job = {.kind = "push",
                             .id = "planted",
                             .nonce = 1,
                             .body = {bytes, size},
                             .policy = {.attempts_max = 3}};
    CHECK_OK(rv_spool_file(w->r->service.spool, &file, NULL));
    CHECK_OK(rv_store_push(file, rv_spool_queue(w->r->service.spool), &job, 1, &out, NULL));
    CHECK_INT(out.status, REEVE_QUEUED);
}

static bool one_is_refused(void *arg) {
    return info(((struct world *)arg)->r).refused == 1;
}

static int see_refused(void *arg, const struct reeve_spooled *spooled) {
    CHECK(spooled->refused);
    CHECK_STR(spooled->id, "a");
    CHECK_STR(spooled->error->code, "EINVAL");
    CHECK(strstr(spooled->store, "***") || !strchr(spooled->store, '@'));
    ++*(int *)arg;
    return 0;
}

static void what_is_refused_for_good_is_kept(void **state) {
    struct world *w = *state;
    struct rv_parcel parcel = {
        .job = {.queue = "q", .kind = "default", .id = "a", .priority = 99, .policy = {1}},
        .target = "elsewhere"};
    struct rv_buf bytes;
    uint64_t count;
    int seen = 0;
    CHECK_OK(rv_parcel_pack(&parcel, &bytes));
    plant(w, bytes.data, bytes.size);
    rv_buf_release(&bytes);
    (void)reeve_spool_forward(w->r, NULL);
    CHECK(eventually(one_is_refused, w, SOON_MS));
    await_said(w, "spool.refused");
    CHECK_OK(reeve_spool_list(w->r, see_refused, &seen));
    CHECK_INT(seen, 1);
    CHECK_OK(reeve_spool_revive(w->r, &count));
    CHECK_INT(count, 1);
    CHECK(eventually(one_is_refused, w, SOON_MS));
    CHECK_OK(reeve_spool_purge(w->r, &count));
    CHECK_INT(count, 1);
    CHECK_INT(info(w->r).refused, 0);
    push_as(w, "b", REEVE_QUEUED); /* and holds up nobody */
}

static void what_is_no_parcel_is_kept(void **state) {
    struct world *w = *state;
    plant(w, "nonsense", 8);
    (void)reeve_spool_forward(w->r, NULL);
    CHECK(eventually(one_is_refused, w, SOON_MS));
}

/* ---- bounds ---- */
static void a_full_spool_says_so(void **state) {
    struct world *w = *state;
    struct reeve_options options = options_of(w);
    struct reeve_push push = {.size = sizeof push, .queue = "q"};
    reeve *r;
    options.spool_max = 2;
    CHECK_OK(reeve_open(&r, store_url, &options));
    make_faulty(r, &w->plan);
    go_away(w);
    (void)push_on(r, (struct reeve_push){.id = "a"});
    (void)push_on(r, (struct reeve_push){.id = "b"});
    CHECK_INT(reeve_push(r, &push, NULL), REEVE_EFULL);
    CHECK(strstr(reeve_errmsg(), w->path));
    CHECK_INT(info(r).waiting, 2);
    reeve_close(r);
}

static void a_spool_that_cannot_be_had_is_no_harm(void **state) {
    struct world *w = *state;
    struct reeve_options options = options_of(w);
    struct reeve_push push = {.size = sizeof push, .queue = "q"};
    reeve *r;
    options.spool = w->folder;
    CHECK_OK(reeve_open(&r, store_url, &options));
    CHECK(has_said(w, "spool.away"));
    make_faulty(r, &w->plan);
    CHECK_OK(reeve_push(r, &push, NULL));
    go_away(w);
    CHECK_INT(reeve_push(r, &push, NULL), REEVE_EUNREACHABLE);
    CHECK(strstr(reeve_errmsg(), "spool") && strstr(reeve_errmsg(), "and the store"));
    heal(w);
    CHECK_OK(reeve_push(r, &push, NULL));
    reeve_close(r);
}

static void a_bad_path_is_refused(void **state) {
    struct world *w = *state;
    struct reeve_options options = options_of(w);
    reeve *r;
    options.spool = "";
    CHECK_INT(reeve_open(&r, store_url, &options), REEVE_EINVAL);
    options.spool = "redis://me:secret@host";
    CHECK_INT(reeve_open(&r, store_url, &options), REEVE_EINVAL);
    CHECK(!strstr(reeve_errmsg(), "secret"));
    options.spool = "a?b";
    CHECK_INT(reeve_open(&r, store_url, &options), REEVE_EINVAL);
    options.spool = w->path;
    options.spool_max = -2;
    CHECK_INT(reeve_open(&r, store_url, &options), REEVE_EINVAL);
}

/* ---- several at once ---- */
static void two_forward_and_each_is_there_once(void **state) {
    struct world *w = *state;
    enum { COUNT = 600 };
    struct reeve_options options = options_of(w);
    char id[16];
    reeve *other;
    go_away(w);
    for (int i = 0; i < COUNT; i++) {
        (void)snprintf(id, sizeof id, "j%d", i);
        push_as(w, id, REEVE_SPOOLED);
    }
    CHECK_OK(reeve_open(&other, store_url, &options)); /* whose store is there */
    heal(w);
    await_empty(w);
    CHECK_INT(stats_of(w).pushed_total, COUNT);
    CHECK_INT(stats_of(w).ready, COUNT);
    reeve_close(other);
}

static void a_dead_forwarder_holds_up_nobody_for_long(void **state) {
    struct world *w = *state;
    struct rv_store *file;
    struct rv_exchanged claimed;
    struct rv_exchange claim = {.queue = rv_spool_queue(w->r->service.spool),
                                .timeout_ms = 5000,
                                .want = 10,
                                .holder = 1,
                                .lease_ms = 300,
                                .worker = "dead"};
    go_away(w);
    push_as(w, "a", REEVE_SPOOLED);
    CHECK_OK(rv_spool_file(w->r->service.spool, &file, NULL));
    CHECK_OK(rv_store_exchange(file, &claim, &claimed, NULL));
    CHECK_INT(claimed.count, 1);
    rv_exchanged_release(&claimed);
    heal(w);
    await_empty(w);
    check_there(w, "a", REEVE_READY);
}

static void without_a_spool_there_is_nothing_to_ask(void **state) {
    struct world *w = *state;
    struct reeve_options options = options_of(w);
    reeve *r;
    options.spool = NULL;
    CHECK_OK(reeve_open(&r, store_url, &options));
    CHECK_INT(reeve_spool_read(r, NULL), REEVE_ESTATE);
    CHECK_INT(reeve_spool_forward(r, NULL), REEVE_ESTATE);
    reeve_close(r);
}

/* ---- codecs ---- */
static int turn_over(void *arg, const void *data, size_t size, void **out, size_t *out_size) {
    unsigned char *turned = malloc(size + 1);
    (void)arg;
    if (!turned) return REEVE_ENOMEM;
    for (size_t i = 0; i < size; i++)
        turned[i] = (unsigned char)~((const unsigned char *)data)[i];
    *out = turned;
    *out_size = size;
    return 0;
}

static int see_encoded(void *arg, const struct reeve_spooled *spooled) {
    CHECK_INT(spooled->body_size, 6);
    CHECK(memcmp(spooled->body, "secret", 6) != 0);
    ++*(int *)arg;
    return 0;
}

/* One that knows nothing of the codec forwards what another has kept. */
static void bodies_are_kept_encoded(void **state) {
    struct world *w = *state;
    struct reeve_codec codec = {.size = sizeof codec, .encode = turn_over, .decode = turn_over};
    struct reeve_options options = options_of(w);
    struct reeve_job *job;
    int seen = 0;
    reeve *r;
    options.codec = &codec;
    CHECK_OK(reeve_open(&r, store_url, &options));
    make_faulty(r, &w->plan);
    go_away(w);
    (void)push_on(r, (struct reeve_push){.id = "a", .body = "secret", .body_size = 6});
    CHECK_OK(reeve_spool_list(r, see_encoded, &seen));
    CHECK_INT(seen, 1);
    reeve_close(r);
    heal(w);
    (void)reeve_spool_forward(w->r, NULL);
    await_empty(w);
    CHECK_OK(reeve_open(&r, store_url, &options));
    CHECK_OK(reeve_get(r, "q", "a", &job));
    CHECK(!memcmp(job->body, "secret", 6));
    reeve_free(job);
    reeve_close(r);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        TEST(it_is_kept_and_forwarded),
        TEST(an_unsure_push_is_there_once),
        TEST(one_lost_answer_is_no_outage),
        TEST(all_that_a_push_says_is_kept),
        TEST(a_delay_counts_from_the_push),
        TEST(who_waits_in_the_same_call_is_told_that_it_was_kept),
        TEST(the_largest_body_fits),
        TEST(many_at_once),
        TEST(later_pushes_wait_behind),
        TEST(a_full_queue_is_tried_again),
        TEST(what_is_refused_for_good_is_kept),
        TEST(what_is_no_parcel_is_kept),
        TEST(a_full_spool_says_so),
        TEST(a_spool_that_cannot_be_had_is_no_harm),
        TEST(a_bad_path_is_refused),
        TEST(a_dead_forwarder_holds_up_nobody_for_long),
        TEST(without_a_spool_there_is_nothing_to_ask),
        /* Of several handles on one store. */
        TEST(two_forward_and_each_is_there_once),
        TEST(bodies_are_kept_encoded),
    };
    enum { SHARED = 2, COUNT = sizeof tests / sizeof *tests };
    if (argc > 1) store_url = argv[1];
    size_t count = strcmp(store_url, "memory:") ? COUNT : COUNT - SHARED;
    return _cmocka_run_group_tests("spool", tests, count, NULL, NULL);
}
