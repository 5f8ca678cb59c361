#include "store/redis/stands.h"

#include <stdlib.h>
#include <string.h>

#define FIRST (UINT64_C(1) << 62) /* beyond any number of events */

int rv_rd_stands_init(struct rv_rd_stands *stands, struct rv_error *err) {
    *stands = (struct rv_rd_stands){.last = FIRST};
    if (!pthread_mutex_init(&stands->lock, NULL)) return 0;
    return rv_fail(err, REEVE_ENOMEM, "out of memory");
}

void rv_rd_stands_release(struct rv_rd_stands *stands) {
    for (size_t i = 0; i < RV_RD_STANDS; i++)
        free(stands->kept[i]);
    (void)pthread_mutex_destroy(&stands->lock);
}

void rv_rd_stands_find(struct rv_rd_stands *stands, uint64_t number, struct rv_rd_stand *out) {
    *out = (struct rv_rd_stand){.number = number};
    if (number == UINT64_MAX) memset(out->at, 0xff, sizeof out->at);
    if (number < FIRST) out->at[0] = number;
    if (number < FIRST || number == UINT64_MAX) return;
    (void)pthread_mutex_lock(&stands->lock);
    const struct rv_rd_stand *kept = stands->kept[number % RV_RD_STANDS];
    if (kept && kept->number == number) *out = *kept;
    (void)pthread_mutex_unlock(&stands->lock);
}

int rv_rd_stands_keep(struct rv_rd_stands *stands, struct rv_rd_stand *stand,
                      struct rv_error *err) {
    struct rv_rd_stand *copy = malloc(sizeof *copy);
    if (!copy) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    (void)pthread_mutex_lock(&stands->lock);
    stand->number = ++stands->last;
    *copy = *stand;
    free(stands->kept[stand->number % RV_RD_STANDS]);
    stands->kept[stand->number % RV_RD_STANDS] = copy;
    (void)pthread_mutex_unlock(&stands->lock);
    return 0;
}
