#include "store/redis/key.h"

#include <stdio.h>
#include <string.h>

static const char *const named[RV_RD_KEYS_NAMED] = {
    "meta",  "job",   "claims", "lease", "delayed", "kept",  "failed", "back",
    "marks", "lanes", "silent", "body",  "result",  "notes", "events", "bell",
};

/* All of a key but its name. Returns its size. */
static size_t write_tag(const struct rv_rd *store, const char *queue, char *out) {
    int size = queue ? snprintf(out, RV_RD_KEY_SIZE, "%s:{%s/%s#0}:", store->url.prefix,
                                store->space, queue)
                     : snprintf(out, RV_RD_KEY_SIZE, "%s:{%s}:", store->url.prefix, store->space);
    return (size_t)size;
}

void rv_rd_key(const struct rv_rd *store, const char *queue, const char *name, char *out) {
    size_t size = write_tag(store, queue, out);
    (void)snprintf(out + size, RV_RD_KEY_SIZE - size, "%s", name);
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

void rv_rd_keys_fill(struct rv_rd_keys *keys, const struct rv_rd *store, const char *queue,
                     unsigned levels) {
    char tag[RV_RD_KEY_SIZE], name[16];
    size_t tag_size = write_tag(store, queue, tag);
    char *end = keys->text;
    keys->count = 0;
    for (size_t i = 0; i < RV_RD_KEYS_NAMED; i++)
        add(keys, &end, tag, tag_size, named[i]);
    for (unsigned level = 0; level < RV_RD_LEVELS; level++) {
        if (!(levels >> level & 1)) continue;
        (void)snprintf(name, sizeof name, "ready:%u", level);
        add(keys, &end, tag, tag_size, name);
    }
}
