#include "harness/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/check.h"

void check_call(struct fixture *f, int rc, const char *what, const char *file, int line) {
    if (rc) print_error("%s: %s\n", reeve_errname(rc), f->err.text);
    check_code(rc, 0, what, file, line);
}

struct rv_store *fixture_open_space(struct fixture *f, const char *space) {
    struct rv_store_config config = {
        .space = space, .timeout_ms = CALL_MS, .log = &f->log, .clock = &f->clock};
    struct rv_store *store = NULL;
    CHECK_CALL(f, rv_store_open(&store, f->url, &config, &f->err));
    return store;
}

static void open_handles(struct fixture *f) {
    f->first = fixture_open_space(f, f->space);
    f->second = shared(f) ? fixture_open_space(f, f->space) : f->first;
}

static void close_handles(struct fixture *f) {
    if (f->second != f->first) rv_store_close(f->second);
    rv_store_close(f->first);
    f->first = f->second = NULL;
}

unsigned shards_by(const char *url) {
    static const char option[] = "shards=";
    const char *at = strstr(url, option);
    return at ? (unsigned)strtoul(at + strlen(option), NULL, 10) : 1;
}

void fixture_open(struct fixture *f, const char *url, unsigned number) {
    *f = (struct fixture){
        .url = url, .queue = "jobs", .log = {.level = REEVE_LOG_ERROR}, .shards = shards_by(url)};
    (void)snprintf(f->space, sizeof f->space, "t%ld-%u", (long)getpid(), number);
    open_handles(f);
}

void fixture_close(struct fixture *f) {
    for (size_t i = 0; i < f->block_count; i++)
        free(f->blocks[i]);
    free(f->blocks);
    close_handles(f);
    if (f->faulty) rv_fault_plan_release(&f->faults);
}

void fixture_reopen(struct fixture *f) {
    close_handles(f);
    open_handles(f);
}

void fixture_make_faulty(struct fixture *f) {
    bool two = f->first != f->second;
    rv_fault_plan_init(&f->faults);
    f->faulty = true;
    CHECK_CALL(f, rv_fault_open(&f->first, f->first, &f->faults, &f->err));
    if (two) CHECK_CALL(f, rv_fault_open(&f->second, f->second, &f->faults, &f->err));
    if (!two) f->second = f->first;
}

struct rv_store *handle(struct fixture *f) {
    return f->calls++ % 2 ? f->second : f->first;
}

bool shared(const struct fixture *f) {
    return rv_store_caps(f->first) & RV_CAP_SHARED;
}

void *adopt(struct fixture *f, void *block) {
    enum { STEP = 64 };
    if (!block) return NULL;
    if (f->block_count % STEP == 0) {
        void **blocks = realloc(f->blocks, (f->block_count + STEP) * sizeof *blocks);
        CHECK(blocks);
        f->blocks = blocks;
    }
    return f->blocks[f->block_count++] = block;
}

void move_clock(struct fixture *f, int64_t ms) {
    rv_clock_move(&f->clock, ms);
}

void lapse_leases(struct fixture *f) {
    move_clock(f, LEASE_MS + 1);
}
