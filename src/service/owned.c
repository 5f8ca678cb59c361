#include "service/owned.h"

#include <stdlib.h>

#include "base/cond.h"

int rv_holdings_init(struct rv_holdings *h) {
    *h = (struct rv_holdings){0};
    rv_list_init(&h->list);
    if (pthread_mutex_init(&h->lock, NULL)) return REEVE_ENOMEM;
    if (!rv_cond_init(&h->freed)) return 0;
    (void)pthread_mutex_destroy(&h->lock);
    return REEVE_ENOMEM;
}

void rv_holdings_release(struct rv_holdings *h) {
    rv_map_release(&h->by_name);
    (void)pthread_cond_destroy(&h->freed);
    (void)pthread_mutex_destroy(&h->lock);
}

int rv_holdings_add(struct rv_holdings *h, struct rv_owned *owned) {
    (void)pthread_mutex_lock(&h->lock);
    bool known = rv_map_get(&h->by_name, owned->stream->name) != NULL;
    int rc = known ? REEVE_ESTATE : rv_map_add(&h->by_name, &owned->by_name, owned->stream->name);
    if (!rc) {
        rv_list_add_tail(&h->list, &owned->link);
        h->count++;
        owned->pins++;
    }
    (void)pthread_mutex_unlock(&h->lock);
    return rc;
}

static struct rv_owned *find(struct rv_holdings *h, const char *name) {
    struct rv_map_node *node = rv_map_get(&h->by_name, name);
    return node ? rv_container_of(node, struct rv_owned, by_name) : NULL;
}

struct rv_owned *rv_holdings_seize(struct rv_holdings *h, const char *name) {
    struct rv_owned *owned;
    (void)pthread_mutex_lock(&h->lock);
    while ((owned = find(h, name)) && owned->busy)
        rv_cond_wait(&h->freed, &h->lock, -1);
    if (owned) {
        owned->busy = true;
        owned->pins++;
    }
    (void)pthread_mutex_unlock(&h->lock);
    return owned;
}

/* With the lock held. True: the caller frees it, once the lock is not. */
static bool unpin(struct rv_owned *owned) {
    return --owned->pins == 0 && owned->gone;
}

static void destroy(struct rv_owned *owned) {
    free(owned->stream);
    free(owned);
}

void rv_holdings_put_back(struct rv_holdings *h, struct rv_owned *owned, bool gone) {
    (void)pthread_mutex_lock(&h->lock);
    owned->busy = false;
    if (gone && !owned->gone) {
        owned->gone = true;
        rv_map_remove(&h->by_name, &owned->by_name);
        rv_list_remove(&owned->link);
        h->count--;
    }
    bool last = unpin(owned);
    (void)pthread_cond_broadcast(&h->freed);
    (void)pthread_mutex_unlock(&h->lock);
    if (last) destroy(owned);
}

void rv_holdings_unpin(struct rv_holdings *h, struct rv_owned *owned) {
    (void)pthread_mutex_lock(&h->lock);
    bool last = unpin(owned);
    (void)pthread_mutex_unlock(&h->lock);
    if (last) destroy(owned);
}

size_t rv_holdings_count(struct rv_holdings *h) {
    (void)pthread_mutex_lock(&h->lock);
    size_t count = h->count;
    (void)pthread_mutex_unlock(&h->lock);
    return count;
}
