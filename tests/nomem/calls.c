#include "nomem/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/handle.h"
#include "harness/check.h"
#include "nomem/alloc.h"

enum { LEASE_MS = 60000 };

/* The call did what it was to do if it timed out. */
static int timed_out(int rc) {
    return rc == REEVE_ETIMEDOUT ? 0 : rc;
}

/* ---- opening ---- */
static int act_open(struct world *world) {
    struct reeve_options options = world_options();
    reeve *r;
    int rc = reeve_open(&r, world->url, &options);
    CHECK(!rc == (r != NULL));
    reeve_close(r);
    return rc;
}

static int act_urls(struct world *world) {
    (void)world;
    char *url = NULL, *shown = NULL;
    int rc = reeve_default_url(&url);
    if (!rc) rc = reeve_redact_url("redis://me:secret@host/", &shown);
    reeve_free(url);
    reeve_free(shown);
    return rc;
}

/* ---- pushing ---- */
static struct reeve_push job(const char *queue, const char *id) {
    return (struct reeve_push){.size = sizeof(struct reeve_push),
                               .queue = queue,
                               .id = id,
                               .body = id,
                               .body_size = strlen(id)};
}

static int act_push(struct world *world) {
    struct reeve_push push = job(QUEUE, "new");
    return reeve_push(world->r, &push, NULL);
}

static int act_push_large(struct world *world) {
    static char body[100000];
    struct reeve_push push = job(QUEUE, "large");
    push.body = body;
    push.body_size = sizeof body;
    return reeve_push(world->r, &push, NULL);
}

static int act_push_known(struct world *world) {
    struct reeve_push push = job(QUEUE, "done");
    struct reeve_pushed pushed = {.size = sizeof pushed};
    int rc = reeve_push(world->r, &push, &pushed);
    if (rc) return rc;
    CHECK_INT(pushed.status, REEVE_DUPLICATE_DONE);
    reeve_free(pushed.done);
    return 0;
}

/* What was told to be queued is there. */
static int act_push_many(struct world *world) {
    enum { COUNT = 4 };
    struct reeve_push pushes[COUNT] = {job(QUEUE, "m1"), job("other", "m2"), job(QUEUE, "done"),
                                       job("other", "m3")};
    struct reeve_pushed outs[COUNT];
    for (int i = 0; i < COUNT; i++)
        outs[i] = (struct reeve_pushed){.size = sizeof outs[i]};
    int rc = reeve_push_many(world->r, pushes, COUNT, outs);
    if (rc) (void)alloc_relent();
    for (int i = 0; i < COUNT; i++) {
        struct reeve_job *there = NULL;
        if (rc && !outs[i].error)
            CHECK_OK(reeve_get(world->r, pushes[i].queue, pushes[i].id, &there));
        CHECK(rc || !outs[i].error);
        reeve_free(there);
        reeve_free(outs[i].done);
    }
    return rc;
}

/* ---- one job ---- */
static int act_get(struct world *world) {
    struct reeve_job *record = NULL;
    int rc = reeve_get(world->r, QUEUE, "failed", &record);
    CHECK(!rc == (record != NULL));
    reeve_free(record);
    return rc;
}

static int act_wait_for_ended(struct world *world) {
    struct reeve_job *record = NULL;
    int rc = reeve_wait(world->r, QUEUE, "done", 1000, &record);
    CHECK(!rc == (record != NULL));
    reeve_free(record);
    return rc;
}

static int act_wait_in_vain(struct world *world) {
    struct reeve_job *record = NULL;
    int rc = reeve_wait(world->r, QUEUE, "ready1", 1, &record);
    reeve_free(record);
    return timed_out(rc);
}

static int act_push_wait_in_vain(struct world *world) {
    struct reeve_push push = job(QUEUE, "new");
    struct reeve_job *record = NULL;
    int rc = reeve_push_wait(world->r, &push, 1, NULL, &record);
    CHECK_INT(rc == REEVE_ETIMEDOUT, record != NULL);
    reeve_free(record);
    return timed_out(rc);
}

static int act_push_wait_for_known(struct world *world) {
    struct reeve_push push = job(QUEUE, "done");
    struct reeve_job *record = NULL;
    int rc = reeve_push_wait(world->r, &push, 1, NULL, &record);
    CHECK(!rc == (record != NULL));
    reeve_free(record);
    return rc;
}

static int act_cancel(struct world *world) {
    return reeve_cancel(world->r, QUEUE, "ready1", NULL);
}

static int act_cancel_held(struct world *world) {
    return reeve_cancel(world->r, QUEUE, "held", NULL);
}

static int act_revive(struct world *world) {
    return reeve_revive(world->r, QUEUE, "failed");
}

static int act_remove(struct world *world) {
    return reeve_remove(world->r, QUEUE, "delayed");
}

static int act_keep(struct world *world) {
    return reeve_keep(world->r, QUEUE, "done", 1000000);
}

static int act_why(struct world *world) {
    char *why = NULL;
    int rc = reeve_why(world->r, QUEUE, "ready1", &why);
    CHECK(!rc == (why != NULL));
    reeve_free(why);
    return rc;
}

/* ---- many ---- */
static int count_job(void *arg, const struct reeve_job *record) {
    (void)record;
    ++*(int *)arg;
    return 0;
}

static int act_list(struct world *world) {
    int seen = 0;
    char *cursor = NULL;
    struct reeve_filter filter = {.size = sizeof filter, .limit = 3};
    int rc = reeve_list(world->r, &filter, count_job, &seen, &cursor);
    if (!rc) CHECK_INT(seen, 3);
    CHECK(!rc == (cursor != NULL));
    reeve_free(cursor);
    return rc;
}

static int ignore_queue(void *arg, const struct reeve_queue *queue) {
    (void)arg;
    (void)queue;
    return 0;
}

static int act_queue_list(struct world *world) {
    return reeve_queue_list(world->r, ignore_queue, NULL);
}

static int act_queue_read(struct world *world) {
    struct reeve_queue *queue = NULL;
    int rc = reeve_queue_read(world->r, QUEUE, &queue);
    reeve_free(queue);
    return rc;
}

static int act_pause(struct world *world) {
    return reeve_pause(world->r, QUEUE, true);
}

/* ---- tasks ---- */
static const char *const queues[] = {QUEUE, NULL};

static int act_claim(struct world *world) {
    reeve_task *task = NULL;
    int rc = reeve_claim(world->r, queues, LEASE_MS, 0, &task);
    CHECK(!rc == (task != NULL));
    reeve_task_drop(task);
    return rc;
}

static int act_claim_in_vain(struct world *world) {
    static const char *const empty[] = {"empty", "nothing", NULL};
    reeve_task *task = NULL;
    return timed_out(reeve_claim(world->r, empty, LEASE_MS, 1, &task));
}

static int act_renew(struct world *world) {
    return reeve_renew(world->task, 2 * LEASE_MS);
}

static int finish(struct world *world, enum reeve_verdict verdict) {
    int rc = reeve_finish(world->task, verdict);
    if (!rc) world->task = NULL;
    return rc;
}

static int act_succeed(struct world *world) {
    int rc = reeve_task_set_result(world->task, "0123456789", 10);
    return rc ? rc : finish(world, REEVE_SUCCEED);
}

static int act_retry(struct world *world) {
    int rc = reeve_task_set_error(world->task, "code", "message", "detail", 6);
    return rc ? rc : finish(world, REEVE_RETRY);
}

static int act_hand_back(struct world *world) {
    return finish(world, REEVE_HAND_BACK);
}

/* ---- background ---- */
static void lapse(struct world *world) {
    rv_clock_move(&world->r->service.clock, 2 * LEASE_MS);
}

static int act_tend(struct world *world) {
    struct reeve_tended tended = {.size = sizeof tended};
    return reeve_tend(world->r, &tended);
}

static int act_tender(struct world *world) {
    reeve_tender *tender;
    int rc = reeve_tender_open(&tender, world->r, NULL);
    reeve_tender_close(tender);
    return rc;
}

static void ignore_event(void *arg, const struct reeve_event *event) {
    (void)arg;
    (void)event;
}

static int act_watch(struct world *world) {
    reeve_watch *watch;
    int rc = reeve_watch_open(&watch, world->r, NULL, ignore_event, NULL);
    reeve_watch_close(watch);
    return rc;
}

static int ignore_worker(void *arg, const struct reeve_worker_info *worker) {
    (void)arg;
    (void)worker;
    return 0;
}

/* ---- bounds, notes, the doctor ---- */
static int act_queue_set(struct world *world) {
    struct reeve_queue_settings settings = {
        .size = sizeof settings, .max_length = 2, .keep_failed = 1, .on_full = REEVE_DROP_OLDEST};
    return reeve_queue_set(world->r, QUEUE, &settings);
}

static void bound(struct world *world) {
    CHECK_OK(act_queue_set(world));
}

/* Something makes room for it. */
static int act_push_into_full(struct world *world) {
    struct reeve_push push = {.size = sizeof push, .queue = QUEUE, .id = "more"};
    return reeve_push(world->r, &push, NULL);
}

static int act_queue_purge(struct world *world) {
    return reeve_queue_purge(world->r, QUEUE, 0, NULL);
}

static int act_check(struct world *world) {
    int rc = reeve_check(world->r, QUEUE, "held", 1, 1);
    return rc == REEVE_EFENCED ? 0 : rc;
}

static int act_progress(struct world *world) {
    return reeve_task_progress(world->task, 50);
}

static int act_log(struct world *world) {
    return reeve_task_log(world->task, "half");
}

static int ignore_finding(void *arg, const struct reeve_finding *finding) {
    (void)arg;
    /* want of memory says nothing of the store */
    if (finding->health == REEVE_BAD) print_message("# %s: %s\n", finding->check, finding->text);
    CHECK(finding->health != REEVE_BAD);
    return 0;
}

static int act_doctor(struct world *world) {
    return reeve_doctor(world->r, true, ignore_finding, NULL);
}

static int act_worker_list(struct world *world) {
    return reeve_worker_list(world->r, ignore_worker, NULL);
}

/* ---- names ---- */
static int act_leader(struct world *world) {
    reeve_leader *leader;
    int rc = reeve_leader_open(&leader, world->r, "n", NULL);
    reeve_leader_close(leader);
    return rc;
}

/* What could not be given back for want of memory is free when its lease ends. */
static int act_lock(struct world *world) {
    static const char *const names[] = {"b", "a", NULL};
    struct reeve_lock_options options = {.size = sizeof options, .wait_ms = 20000, .lease_ms = 100};
    reeve_lock *lock;
    int rc = reeve_lock_open(&lock, world->r, names, &options);
    reeve_lock_close(lock);
    return rc;
}

static int ignore_leader(void *arg, const struct reeve_leader_info *leader) {
    (void)arg;
    (void)leader;
    return 0;
}

static int act_leader_list(struct world *world) {
    return reeve_leader_list(world->r, ignore_leader, NULL);
}

/* ---- streams ---- */
static int act_offer(struct world *world) {
    struct reeve_offer offer = {
        .size = sizeof offer, .group = "g", .name = "s", .info = "info", .info_size = 4};
    return reeve_stream_offer(world->r, &offer, NULL);
}

static int ignore_stream(void *arg, const struct reeve_stream *stream) {
    (void)arg;
    (void)stream;
    return 0;
}

static int ignore_letter(void *arg, const struct reeve_letter *letter) {
    (void)arg;
    (void)letter;
    return 0;
}

static int act_stream_list(struct world *world) {
    struct reeve_stream *stream = NULL;
    struct reeve_group *group = NULL;
    int rc = act_offer(world);
    if (!rc) rc = reeve_stream_list(world->r, "g", 0, 0, ignore_stream, NULL);
    if (!rc) rc = reeve_letter_list(world->r, "g", 0, ignore_letter, NULL);
    if (!rc) rc = reeve_stream_read(world->r, "g", 0, "s", &stream);
    if (!rc) rc = reeve_group_read(world->r, "g", 0, &group);
    reeve_free(stream);
    reeve_free(group);
    return rc;
}

/* What its thread has no memory for, it tries again. */
static int act_member(struct world *world) {
    reeve_member *member;
    int rc = act_offer(world);
    if (!rc) {
        rc = reeve_member_open(&member, world->r, "g", NULL);
        reeve_member_close(member);
    }
    return rc;
}

/* ---- the spool ---- */
/* Beside the world's file: a spool, and a store that is away until its folder is made. */
struct depot {
    char spool[320], folder[320], url[360];
};

static struct depot depot_of(const struct world *world) {
    struct depot depot;
    (void)snprintf(depot.spool, sizeof depot.spool, "%s.spool", world->path);
    (void)snprintf(depot.folder, sizeof depot.folder, "%s.away", world->path);
    (void)snprintf(depot.url, sizeof depot.url, "sqlite:%s/store/q.db", depot.folder);
    return depot;
}

static int open_depot(const struct depot *depot, reeve **r) {
    struct reeve_options options = world_options();
    options.spool = depot->spool;
    return reeve_open(r, depot->url, &options);
}

/* If there was no memory to keep it, the store is still away, too: both are told. */
static int push_spooled(reeve *r) {
    struct reeve_push push = job(QUEUE, "spooled");
    struct reeve_pushed pushed = {.size = sizeof pushed};
    int rc = reeve_push(r, &push, &pushed);
    if (rc == REEVE_EUNREACHABLE && strstr(reeve_errmsg(), "memory")) return REEVE_ENOMEM;
    if (!rc) CHECK_INT(pushed.status, REEVE_SPOOLED);
    return rc;
}

static int act_push_spooled(struct world *world) {
    if (!*world->path) return 0; /* in memory there is no place for it */
    struct depot depot = depot_of(world);
    reeve *r;
    int rc = open_depot(&depot, &r);
    if (!rc) rc = push_spooled(r);
    reeve_close(r);
    return rc;
}

/* To make the files is most of the work, and tried elsewhere. */
static void make_depot(struct world *world) {
    if (!*world->path) return;
    struct depot depot = depot_of(world);
    reeve *r;
    CHECK_OK(open_depot(&depot, &r));
    reeve_close(r);
}

static void spool_one(struct world *world) {
    if (!*world->path) return;
    struct depot depot = depot_of(world);
    struct reeve_options options = world_options();
    reeve *r;
    CHECK_OK(act_push_spooled(world));
    CHECK_INT(mkdir(depot.folder, 0700), 0);
    CHECK_OK(reeve_open(&r, depot.url, &options));
    reeve_close(r);
}

/* It is in the store, or it waits: also after an error. */
static void check_kept(const struct depot *depot) {
    struct reeve_spool_info info = {.size = sizeof info};
    struct reeve_job *there = NULL;
    reeve *r;
    CHECK_OK(open_depot(depot, &r));
    CHECK_OK(reeve_spool_read(r, &info));
    int rc = reeve_get(r, QUEUE, "spooled", &there);
    CHECK(!rc || (rc == REEVE_ENOENT && info.waiting == 1));
    CHECK_INT(info.refused, 0);
    reeve_free(there);
    reeve_close(r);
}

static int act_forward(struct world *world) {
    if (!*world->path) return 0;
    struct depot depot = depot_of(world);
    reeve *r;
    int rc = open_depot(&depot, &r);
    if (!rc) rc = reeve_spool_forward(r, NULL);
    if (rc) (void)alloc_relent();
    reeve_close(r);
    if (rc) check_kept(&depot);
    return rc;
}

const struct call calls[] = {
    {"open", NULL, act_open, false},
    {"default_url, redact_url", NULL, act_urls, false},
    {"push", NULL, act_push, false},
    {"push a large body", NULL, act_push_large, false},
    {"push a known id", NULL, act_push_known, false},
    {"push_many", NULL, act_push_many, true},
    {"get", NULL, act_get, false},
    {"wait for what has ended", NULL, act_wait_for_ended, false},
    {"wait in vain", NULL, act_wait_in_vain, false},
    {"push and wait in vain", NULL, act_push_wait_in_vain, true},
    {"push and wait for what has ended", NULL, act_push_wait_for_known, false},
    {"cancel", NULL, act_cancel, false},
    {"cancel what runs", NULL, act_cancel_held, false},
    {"revive", NULL, act_revive, false},
    {"remove", NULL, act_remove, false},
    {"keep", NULL, act_keep, false},
    {"why", NULL, act_why, false},
    {"list", NULL, act_list, false},
    {"queue_list", NULL, act_queue_list, false},
    {"queue_read", NULL, act_queue_read, false},
    {"pause", NULL, act_pause, false},
    {"claim", NULL, act_claim, false},
    {"claim in vain", NULL, act_claim_in_vain, false},
    {"renew", NULL, act_renew, false},
    {"finish as done", NULL, act_succeed, false},
    {"finish as failed", NULL, act_retry, false},
    {"finish as handed back", NULL, act_hand_back, false},
    {"tend", lapse, act_tend, true},
    {"tender_open", NULL, act_tender, false},
    {"watch_open", NULL, act_watch, false},
    {"worker_list", NULL, act_worker_list, false},
    {"queue_set", NULL, act_queue_set, false},
    {"push into a full queue", bound, act_push_into_full, false},
    {"queue_purge", NULL, act_queue_purge, true},
    {"check", NULL, act_check, false},
    {"task_progress", NULL, act_progress, false},
    {"task_log", NULL, act_log, false},
    {"doctor", NULL, act_doctor, false},
    {"leader_open", NULL, act_leader, false},
    {"leader_list", NULL, act_leader_list, false},
    {"lock_open", NULL, act_lock, false},
    {"stream_offer", NULL, act_offer, false},
    {"stream_list", NULL, act_stream_list, true},
    {"member_open", NULL, act_member, true},
    {"push into a spool", make_depot, act_push_spooled, true},
    {"spool_forward", spool_one, act_forward, true},
};
const size_t call_count = sizeof calls / sizeof *calls;
