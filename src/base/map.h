/* A hash map from strings to embedded nodes. The key belongs to whoever owns the node and outlives
 * its stay. */
#ifndef RV_BASE_MAP_H
#define RV_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct rv_map_node {
    struct rv_map_node *next;
    const char *key;
    uint64_t hash;
};

struct rv_map { /* zeroed is empty */
    struct rv_map_node **buckets;
    size_t bucket_count; /* a power of two */
    size_t count;
};

void rv_map_release(struct rv_map *map); /* frees what the map allocated, no node */
/* The key is not in the map yet. 0 or REEVE_ENOMEM; the latter only if the map has never held
 * anything: where growing fails, it goes on with longer chains. */
int rv_map_add(struct rv_map *map, struct rv_map_node *node, const char *key);
struct rv_map_node *rv_map_get(const struct rv_map *map, const char *key); /* or NULL */
void rv_map_remove(struct rv_map *map, struct rv_map_node *node);          /* which is in it */

#endif
