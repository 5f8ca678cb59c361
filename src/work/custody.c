/* _GNU_SOURCE: MAP_ANONYMOUS. */
#define _GNU_SOURCE
#include "work/custody.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* A number tells its slot, so that one look there says whether its run is over. */
uint64_t rv_custody_begin(struct rv_custody *c, size_t slot) {
    uint64_t run = (atomic_fetch_add(&c->last_run, 1) + 1) * c->slots + slot;
    atomic_store(&c->runs[slot], run);
    return run;
}

void rv_custody_end(struct rv_custody *c, size_t slot, bool wait) {
    atomic_store(&c->runs[slot], 0);
    rv_sweeper_ask(&c->sweeper, wait);
}

static bool is_over(void *arg, uint64_t run) {
    const struct rv_custody *c = arg;
    return atomic_load(&c->runs[run % c->slots]) != run;
}

/* ---- opening ---- */
static void describe_strays(struct rv_custody *c, const char *id) {
    (void)snprintf(c->strays.mark, sizeof c->strays.mark, "REEVE_RUN=%s.", id);
    c->strays.is_over = is_over;
    c->strays.arg = c;
}

static int make_tables(struct rv_custody *c, struct rv_error *err) {
    void *shared = mmap(NULL, c->slots * sizeof *c->failures, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    c->failures = shared != MAP_FAILED ? shared : NULL;
    c->runs = calloc(c->slots, sizeof *c->runs);
    return c->failures && c->runs ? 0 : rv_fail(err, REEVE_ENOMEM, "no memory to run programs");
}

int rv_custody_open(struct rv_custody *c, const struct rv_custody_options *options,
                    const struct rv_log *log, struct rv_error *err) {
    *c = (struct rv_custody){.slots = options->slots};
    describe_strays(c, options->id);
    int rc = make_tables(c, err);
    if (rc) return rc;
    struct rv_estate estate = {
        .strays = c->strays, .socket = options->socket, .folder = options->folder};
    rc = rv_guardian_start(&c->guardian, c->slots, &estate, log, err);
    if (!rc) rc = rv_sweeper_start(&c->sweeper, &c->strays, err);
    c->sweeping = !rc;
    return rc;
}

void rv_custody_close(struct rv_custody *c) {
    if (c->sweeping) rv_sweeper_stop(&c->sweeper);
    rv_guardian_stop(c->guardian);
    if (c->failures) (void)munmap(c->failures, c->slots * sizeof *c->failures);
    free(c->runs);
    *c = (struct rv_custody){0};
}
