#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include <reeve.h>

enum { BUCKETS_FIRST = 16 };

/* FNV-1a. */
static uint64_t hash_of(const char *key) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (const unsigned char *c = (const unsigned char *)key; *c; c++)
        hash = (hash ^ *c) * UINT64_C(1099511628211);
    return hash;
}

static struct rv_map_node **bucket_of(const struct rv_map *map, uint64_t hash) {
    return &map->buckets[hash & (map->bucket_count - 1)];
}

static void insert(struct rv_map *map, struct rv_map_node *node) {
    struct rv_map_node **bucket = bucket_of(map, node->hash);
    node->next = *bucket;
    *bucket = node;
}

static int resize(struct rv_map *map, size_t bucket_count) {
    struct rv_map bigger = {.bucket_count = bucket_count, .count = map->count};
    bigger.buckets = calloc(bucket_count, sizeof *bigger.buckets);
    if (!bigger.buckets) return REEVE_ENOMEM;
    for (size_t i = 0; map->buckets && i < map->bucket_count; i++) {
        for (struct rv_map_node *node = map->buckets[i], *next; node; node = next) {
            next = node->next;
            insert(&bigger, node);
        }
    }
    free(map->buckets);
    *map = bigger;
    return 0;
}

void rv_map_release(struct rv_map *map) {
    free(map->buckets);
    *map = (struct rv_map){0};
}

int rv_map_add(struct rv_map *map, struct rv_map_node *node, const char *key) {
    if (!map->buckets && resize(map, BUCKETS_FIRST)) return REEVE_ENOMEM;
    if (map->count >= map->bucket_count) (void)resize(map, map->bucket_count * 2);
    *node = (struct rv_map_node){.key = key, .hash = hash_of(key)};
    insert(map, node);
    map->count++;
    return 0;
}

struct rv_map_node *rv_map_get(const struct rv_map *map, const char *key) {
    if (!map->buckets) return NULL;
    uint64_t hash = hash_of(key);
    struct rv_map_node *node = *bucket_of(map, hash);
    while (node && (node->hash != hash || strcmp(node->key, key) != 0))
        node = node->next;
    return node;
}

void rv_map_remove(struct rv_map *map, struct rv_map_node *node) {
    struct rv_map_node **link = bucket_of(map, node->hash);
    while (*link != node)
        link = &(*link)->next;
    *link = node->next;
    map->count--;
}
