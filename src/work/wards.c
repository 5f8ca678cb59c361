#include "work/wards.h"

#include <stdlib.h>

#include "base/id.h"
#include "base/random.h"
#include "core/limits.h"

int rv_wards_init(struct rv_wards *w, struct rv_service *service) {
    *w = (struct rv_wards){.service = service};
    return pthread_mutex_init(&w->lock, NULL) ? REEVE_ENOMEM : 0;
}

void rv_wards_release(struct rv_wards *w) {
    if (w->open) rv_custody_close(&w->custody);
    free(w->taken);
    (void)pthread_mutex_destroy(&w->lock);
}

/* With the lock held. */
static int open_custody(struct rv_wards *w, struct rv_error *err) {
    char id[RV_GENERATED_ID_SIZE];
    if (w->open) return 0;
    rv_id_generate(id, rv_clock_wall_us(&rv_clock_real), &rv_random_system);
    if (!w->taken) w->taken = calloc(RV_WARDS_MAX, sizeof *w->taken);
    if (!w->taken) return rv_fail(err, REEVE_ENOMEM, "no memory to run programs");
    const struct rv_custody_options options = {.slots = RV_WARDS_MAX, .id = id};
    int rc = rv_custody_open(&w->custody, &options, &w->service->log, err);
    if (rc) rv_custody_close(&w->custody);
    w->open = !rc;
    return rc;
}

/* With the lock held. */
static int find_slot(struct rv_wards *w, size_t *slot, struct rv_error *err) {
    for (size_t i = 0; i < RV_WARDS_MAX; i++) {
        *slot = (w->next + i) % RV_WARDS_MAX;
        if (w->taken[*slot]) continue;
        w->taken[*slot] = true;
        w->next = *slot + 1;
        return 0;
    }
    return rv_fail(err, REEVE_EFULL, "%d programs of this handle run: no more can", RV_WARDS_MAX);
}

int rv_wards_take(struct rv_wards *w, size_t *slot, struct rv_error *err) {
    (void)pthread_mutex_lock(&w->lock);
    int rc = open_custody(w, err);
    if (!rc) rc = find_slot(w, slot, err);
    (void)pthread_mutex_unlock(&w->lock);
    return rc;
}

void rv_wards_give(struct rv_wards *w, size_t slot) {
    (void)pthread_mutex_lock(&w->lock);
    w->taken[slot] = false;
    (void)pthread_mutex_unlock(&w->lock);
}
