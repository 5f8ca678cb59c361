/* Where one caller alone is told of the ends of what he pushes: a box (box.h), and the messages
 * that others are told by (lua/ends.lua). */
#include "base/clock.h"
#include "base/list.h"
#include "store/redis/end_bells.h"

static struct rv_rd *rd_of(struct rv_store *s) {
    return rv_container_of(s, struct rv_rd, base);
}

static struct rv_rd_box *rd_box_of(struct rv_box *box) {
    return rv_container_of(box, struct rv_rd_box, base);
}

static int64_t deadline_of(const struct rv_rd *store, int64_t timeout_ms) {
    int64_t ms = timeout_ms < store->timeout_ms ? timeout_ms : store->timeout_ms;
    return rv_time_add(rv_clock_boot_ms(&rv_clock_real), ms);
}

int rv_rd_ends_take(struct rv_store *s, int64_t timeout_ms, struct rv_box **out,
                    struct rv_error *err) {
    struct rv_rd *store = rd_of(s);
    struct rv_rd_box *box;
    int rc = rv_rd_boxes_take(&store->ends, store, deadline_of(store, timeout_ms), &box, err);
    if (!rc) *out = &box->base;
    return rc;
}

void rv_rd_ends_give(struct rv_store *s, struct rv_box *box, bool deaf) {
    struct rv_rd_box *rd_box = rd_box_of(box);
    if (deaf && rd_box->conn) rd_box->conn->broken = true;
    rv_rd_boxes_give(&rd_of(s)->ends, rd_box);
}

/* What cannot be read is passed over. */
static int hear(struct rv_rd_box *box, int64_t deadline_ms, struct rv_list *told,
                struct rv_error *err) {
    struct rv_rd_message message;
    bool is_over = false;
    int rc;
    do {
        rc = rv_rd_box_attend(box, deadline_ms, &message, err);
        is_over = rc || !message.channel || rv_rd_ends_read(message.text, told);
        rv_rd_message_release(&message);
    } while (!is_over);
    return rc;
}

/* One that broke is mended, and then it is time for a look. */
int rv_rd_ends_attend(struct rv_store *s, struct rv_box *box, int64_t timeout_ms,
                      struct rv_list *told, struct rv_error *err) {
    struct rv_rd *store = rd_of(s);
    struct rv_rd_box *rd_box = rd_box_of(box);
    int64_t until_ms = rv_time_add(rv_clock_boot_ms(&rv_clock_real), timeout_ms);
    if (!rv_rd_box_is_broken(rd_box) && !hear(rd_box, until_ms, told, err)) return 0;
    return rv_rd_boxes_mend(&store->ends, store, rd_box, deadline_of(store, timeout_ms), err);
}
