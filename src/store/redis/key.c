#include "store/redis/key.h"

#include <stdio.h>
#include <string.h>

#include "base/decimal.h"

/* Those that every step needs come first. */
static const struct {
    const char *name, *type;
} named_keys[RV_RD_KEYS_NAMED] = {
    {"meta", "string"},  {"job", "hash"},   {"bell", "list"},   {"offers", "list"},
    {"claims", "hash"},  {"lease", "zset"}, {"lanes", "hash"},  {"events", "list"},
    {"delayed", "zset"}, {"kept", "zset"},  {"failed", "zset"}, {"back", "zset"},
    {"stale", "hash"},   {"marks", "zset"}, {"silent", "zset"}, {"body", "hash"},
    {"result", "hash"},  {"notes", "hash"},
};

const char *rv_rd_key_type(size_t i) {
    if (i < RV_RD_KEYS_NAMED) return named_keys[i].type;
    if (i < RV_RD_KEYS_NAMED + RV_RD_LEVELS) return "list";
    return i < RV_RD_KEYS_MAX - RV_RD_HASHES ? "zset" : "hash";
}

/* There is room: RV_RD_KEY_SIZE is more than the longest parts come to. Returns where it ends. */
static char *put(char *at, const char *text) {
    size_t size = strlen(text);
    memcpy(at, text, size + 1);
    return at + size;
}

/* All of a key but its name. Returns its size. */
static size_t write_tag(const struct rv_rd *store, const struct rv_rd_shard *shard, char *out) {
    if (shard && *shard->queue == '=')
        return (size_t)snprintf(out, RV_RD_KEY_SIZE, "%s:{%s}:", store->url.prefix,
                                shard->queue + 1);
    char *end = put(put(put(out, store->url.prefix), ":{"), store->space);
    if (shard) {
        end = put(put(put(end, "/"), shard->queue), "#");
        end += rv_decimal(end, shard->number);
    }
    return (size_t)(put(end, "}:") - out);
}

void rv_rd_key(const struct rv_rd *store, const struct rv_rd_shard *shard, const char *name,
               char *out) {
    size_t size = write_tag(store, shard, out);
    (void)snprintf(out + size, RV_RD_KEY_SIZE - size, "%s", name);
}

unsigned rv_rd_key_slot(const struct rv_rd *store, const struct rv_rd_shard *shard) {
    char key[RV_RD_KEY_SIZE];
    if (shard && *shard->queue == '=') /* it may be longer than any key of ours */
        return rv_rd_slot_of(shard->queue + 1, strlen(shard->queue + 1));
    size_t size = write_tag(store, shard, key), from = strlen(store->url.prefix) + strlen(":{");
    return rv_rd_slot_of(key + from, size - from - strlen("}:"));
}

static void add(struct rv_rd_keys *keys, char **end, const char *tag, size_t tag_size,
                const char *name) {
    size_t name_size = strlen(name), size = tag_size + name_size;
    memcpy(*end, tag, tag_size);
    memcpy(*end + tag_size, name, name_size + 1);
    keys->names[keys->count] = *end;
    keys->sizes[keys->count++] = size;
    *end += size + 1;
}

void rv_rd_keys_fill(struct rv_rd_keys *keys, const struct rv_rd *store,
                     const struct rv_rd_shard *shard, size_t named, unsigned needs) {
    char tag[RV_RD_KEY_SIZE], name[16 + RV_DECIMAL_SIZE];
    size_t tag_size = write_tag(store, shard, tag);
    char *end = keys->text;
    keys->count = 0;
    for (size_t i = 0; i < named; i++)
        add(keys, &end, tag, tag_size, named_keys[i].name);
    for (unsigned level = 0; level < RV_RD_LEVELS; level++) {
        if (!(needs >> level & 1)) continue;
        (void)rv_decimal(put(name, "ready:"), level);
        add(keys, &end, tag, tag_size, name);
    }
    for (unsigned i = 0; needs & RV_RD_SETS && i < RV_RD_SETS_COUNT * RV_RD_HASHES; i++) {
        const char *set = named_keys[RV_RD_SETS_FIRST + i / RV_RD_HASHES].name;
        (void)rv_decimal(put(put(name, set), ":"), i % RV_RD_HASHES);
        add(keys, &end, tag, tag_size, name);
    }
    for (unsigned i = 0; needs & RV_RD_SPREAD && i < RV_RD_HASHES; i++) {
        (void)rv_decimal(put(name, "job:"), i);
        add(keys, &end, tag, tag_size, name);
    }
}
