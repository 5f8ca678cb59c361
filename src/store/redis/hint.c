#include "store/redis/hint.h"

#include "store/redis/splits.h"

/* A place holds 44 bits of its queue's hash, then whether that is listed, then 19 bits of needs: so
 * one load or store is all, and two queues of one hash are as good as never met. */
enum { LISTED_BIT = 19, NAME_BIT = 20, NEEDS = 0x7ffff };

struct rv_rd_hint rv_rd_hint_get(struct rv_rd_hints *hints, const char *queue) {
    uint64_t hash = rv_rd_hash(queue);
    uint64_t packed = atomic_load(&hints->packed[hash % RV_RD_HINTS]);
    if (packed >> NAME_BIT != hash >> NAME_BIT) return (struct rv_rd_hint){0};
    return (struct rv_rd_hint){.needs = packed & NEEDS, .listed = packed >> LISTED_BIT & 1};
}

static void set(struct rv_rd_hints *hints, const char *queue, struct rv_rd_hint hint) {
    uint64_t hash = rv_rd_hash(queue);
    uint64_t packed =
        hash >> NAME_BIT << NAME_BIT | (uint64_t)hint.listed << LISTED_BIT | (hint.needs & NEEDS);
    atomic_store(&hints->packed[hash % RV_RD_HINTS], packed);
}

void rv_rd_hint_add_needs(struct rv_rd_hints *hints, const char *queue, unsigned needs) {
    struct rv_rd_hint hint = rv_rd_hint_get(hints, queue);
    hint.needs |= needs;
    set(hints, queue, hint);
}

void rv_rd_hint_drop_needs(struct rv_rd_hints *hints, const char *queue, unsigned needs) {
    struct rv_rd_hint hint = rv_rd_hint_get(hints, queue);
    hint.needs &= ~needs;
    set(hints, queue, hint);
}

void rv_rd_hint_set_listed(struct rv_rd_hints *hints, const char *queue) {
    struct rv_rd_hint hint = rv_rd_hint_get(hints, queue);
    hint.listed = true;
    set(hints, queue, hint);
}
