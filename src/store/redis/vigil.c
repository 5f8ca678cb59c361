#include "store/redis/vigil.h"

#include <string.h>

#include "store/redis/call.h"
#include "store/redis/key.h"
#include "store/redis/split.h"
#include "store/redis/swap.h"

enum {
    HOLDER_SIZE = 8, /* what a message begins with */
    STIR_MS = 1000,  /* a server that takes longer is away, and who attends looks up by himself */
};

/* One server, whose messages are heard as long as it is there: where others may take its place, who
 * sleeps has to hear of that, too (wait.c). */
bool rv_rd_is_patient(struct rv_store *s) {
    struct rv_rd *store = (struct rv_rd *)s;
    return store->topology.shape == RV_RD_ONE && !store->url.wait_replicas &&
           !atomic_load(&store->vigils.refused);
}

void rv_rd_lane_print(uint64_t lane, char out[RV_RD_LANE_SIZE]) {
    out[RV_RD_LANE_SIZE - 1] = '\0';
    for (int i = RV_RD_LANE_SIZE - 2; i >= 0; i--, lane >>= 4)
        out[i] = "0123456789abcdef"[lane & 15];
}

/* As in lua/give.lua. */
static void name_channel(const struct rv_rd *store, const struct rv_rd_shard *shard, uint64_t lane,
                         char out[RV_RD_KEY_SIZE]) {
    char name[sizeof "offers:" + RV_RD_LANE_SIZE] = "offers:";
    rv_rd_lane_print(lane, name + strlen(name));
    rv_rd_key(store, shard, name, out);
}

struct rv_rd_box *rv_rd_vigil_open(struct rv_rd *store, const struct rv_rd_shard *shard,
                                   const struct rv_exchange *exchange) {
    char channel[RV_RD_KEY_SIZE];
    struct rv_rd_box *box = NULL;
    int64_t deadline_ms = rv_time_add(rv_clock_boot_ms(&rv_clock_real), exchange->timeout_ms);
    if (rv_rd_boxes_take_of(&store->vigils, store, exchange->lane, deadline_ms, &box, NULL) || box)
        return box;
    name_channel(store, shard, exchange->lane, channel);
    (void)rv_rd_boxes_open_of(&store->vigils, store, exchange->lane, channel, deadline_ms, &box,
                              NULL);
    return box;
}

/* ---- waiting ---- */
/* Is it for this exchange? Then what it tells. */
static int take_message(const struct rv_exchange *exchange, struct rv_bytes text,
                        struct rv_exchanged *out, struct rv_error *err) {
    struct rv_reader reader;
    rv_reader_init(&reader, text);
    if (rv_read_u64(&reader) != exchange->holder || reader.failed) return 0;
    out->more = text.size == HOLDER_SIZE;
    return out->more ? 0 : rv_rd_swap_read_given(&reader, exchange->queue, out, err);
}

static int attend(struct rv_rd_box *box, const struct rv_exchange *exchange, int64_t ms,
                  struct rv_exchanged *out, struct rv_error *err) {
    struct rv_rd_message message;
    int64_t deadline_ms = rv_time_add(rv_clock_boot_ms(&rv_clock_real), ms);
    int rc = rv_rd_box_attend(box, deadline_ms, &message, err);
    if (!rc && message.channel) rc = take_message(exchange, message.text, out, err);
    rv_rd_message_release(&message);
    box->fed = out->count > 0;
    return rc;
}

/* By the very box that it was sent with: what was told to one that broke is lost, and told to the
 * repeat alone. */
int rv_rd_attend(struct rv_store *s, const struct rv_exchange *exchange, int64_t ms,
                 struct rv_exchanged *out, struct rv_error *err) {
    struct rv_rd *store = (struct rv_rd *)s;
    int64_t deadline_ms = rv_time_add(rv_clock_boot_ms(&rv_clock_real), exchange->timeout_ms);
    struct rv_rd_box *box;
    int rc = rv_rd_boxes_take_of(&store->vigils, store, exchange->lane, deadline_ms, &box, err);
    if (rc) return rc;
    if (!box) return rv_fail(err, REEVE_EUNREACHABLE, "queue %s: nobody listens", exchange->queue);
    rc = attend(box, exchange, ms, out, err);
    if (rc) box->conn->broken = true;
    rv_rd_boxes_give(&store->vigils, box);
    return rc;
}

int rv_rd_stir(struct rv_store *s, const char *queue, uint64_t lane, struct rv_error *err) {
    struct rv_rd *store = (struct rv_rd *)s;
    struct rv_rd_split split;
    char channel[RV_RD_KEY_SIZE];
    redisReply *reply;
    (void)rv_rd_splits_find(&store->splits, queue, &split);
    struct rv_rd_shard shard = rv_rd_split_shard(&split, 0);
    name_channel(store, &shard, lane, channel);
    const char *const words[] = {"PUBLISH", channel, ""};
    const struct rv_rd_command command = {.argc = 3, .argv = words};
    int rc = rv_rd_call(store, &shard, &command, 1, STIR_MS, &reply, err);
    rv_rd_replies_free(&reply, 1);
    return rc;
}
