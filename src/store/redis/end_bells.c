#include "store/redis/end_bells.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "store/redis/key.h"
#include "store/redis/record.h"

static void channel_of(const struct rv_rd *store, const struct rv_bell *bell, char *out) {
    char name[sizeof "ends:" + 8];
    (void)snprintf(name, sizeof name, "ends:%08" PRIx32, bell->address);
    rv_rd_key(store, NULL, name, out);
}

int rv_rd_end_bells_want(struct rv_rd *store, const struct rv_rd_end_bells *bells,
                         struct rv_error *err) {
    char channel[RV_RD_KEY_SIZE];
    int rc = 0;
    for (size_t i = 0; !rc && i < bells->count; i++) {
        channel_of(store, &bells->bells[i], channel);
        rc = rv_rd_channels_want(&store->ear.channels, channel, err);
    }
    return rc;
}

/* The next end, or NULL. */
static struct rv_told *read_end(struct rv_reader *reader, const char *queue) {
    char id[REEVE_ID_SIZE];
    struct rv_told *told = calloc(1, sizeof *told);
    if (!told) return NULL;
    told->number = rv_read_u32(reader);
    rv_read_text(reader, rv_read_u8(reader), id, sizeof id);
    struct rv_rd_shown shown = {.id = id, .record = rv_read_sized(reader)};
    if (reader->failed) {
        free(told);
        return NULL;
    }
    if (shown.record.size) (void)rv_rd_record_show(queue, &shown, &told->job, NULL);
    return told;
}

bool rv_rd_ends_read(struct rv_bytes text, struct rv_list *told) {
    char queue[REEVE_NAME_SIZE];
    struct rv_reader reader;
    struct rv_told *end;
    bool any = false;
    rv_reader_init(&reader, text);
    rv_read_text(&reader, rv_read_u8(&reader), queue, sizeof queue);
    if (reader.failed) return false;
    while (reader.at < reader.end && (end = read_end(&reader, queue)) != NULL) {
        rv_list_add_tail(told, &end->link);
        any = true;
    }
    return any;
}

void rv_rd_end_bells_hear(const struct rv_rd *store, const struct rv_rd_end_bells *bells,
                          const struct rv_rd_message *message, bool *rings) {
    char channel[RV_RD_KEY_SIZE];
    for (size_t i = 0; i < bells->count; i++) {
        channel_of(store, &bells->bells[i], channel);
        if (strcmp(channel, message->channel) != 0) continue;
        if (rv_rd_ends_read(message->text, bells->bells[i].told)) *rings = true;
    }
}
