#include "store/redis/box.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "core/nonce.h"
#include "store/redis/call.h"
#include "store/redis/errors.h"
#include "store/redis/key.h"

int rv_rd_boxes_init(struct rv_rd_boxes *boxes, const char *kind, struct rv_error *err) {
    *boxes = (struct rv_rd_boxes){.kind = kind};
    if (pthread_mutex_init(&boxes->lock, NULL)) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    return 0;
}

static void close_box(struct rv_rd_box *box) {
    rv_rd_conn_close(box->conn);
    free(box);
}

static void close_all(struct rv_rd_box *boxes) {
    while (boxes) {
        struct rv_rd_box *next = boxes->next;
        close_box(boxes);
        boxes = next;
    }
}

void rv_rd_boxes_release(struct rv_rd_boxes *boxes) {
    close_all(boxes->idle);
    (void)pthread_mutex_destroy(&boxes->lock);
}

/* ---- opening ---- */
static int subscribe(struct rv_rd_boxes *boxes, const struct rv_rd_box *box, const char *channel,
                     int64_t deadline_ms, struct rv_error *err) {
    const char *words[] = {"SUBSCRIBE", channel};
    struct rv_rd_command command = {.argc = 2, .argv = words};
    redisReply *reply = NULL;
    int rc = rv_rd_conn_ask(box->conn, &command, 1, &reply, deadline_ms, err);
    if (!rc && reply->type == REDIS_REPLY_ERROR) {
        if (strncmp(reply->str, "NOPERM", 6) == 0) atomic_store(&boxes->refused, true);
        rc = rv_rd_error_fail(box->conn->target->shown, reply->str, err);
    }
    rv_rd_replies_free(&reply, 1);
    return rc;
}

/* Where a server stands still, as others have seen, one does without. */
static int connect_box(struct rv_rd_boxes *boxes, struct rv_rd *store, struct rv_rd_box *box,
                       const char *channel, int64_t deadline_ms, struct rv_error *err) {
    const struct rv_rd_target *target;
    if (atomic_load(&boxes->refused))
        return rv_fail(err, REEVE_EUNREACHABLE, "channel %s: not for this user", channel);
    int rc = rv_rd_find(store, NULL, deadline_ms, &target, err);
    if (rc) return rc;
    if (rv_rd_target_rests(target, rv_clock_boot_ms(&rv_clock_real)))
        return rv_fail(err, REEVE_EUNREACHABLE, "%s: did not answer", target->shown);
    rc = rv_rd_connect(store, NULL, deadline_ms, &box->conn, err);
    return rc ? rc : subscribe(boxes, box, channel, deadline_ms, err);
}

static int connect_own(struct rv_rd_boxes *boxes, struct rv_rd *store, struct rv_rd_box *box,
                       int64_t deadline_ms, struct rv_error *err) {
    char name[32], channel[RV_RD_KEY_SIZE];
    (void)snprintf(name, sizeof name, "%s:%08" PRIx32, boxes->kind, box->base.address);
    rv_rd_key(store, NULL, name, channel);
    return connect_box(boxes, store, box, channel, deadline_ms, err);
}

bool rv_rd_box_is_broken(const struct rv_rd_box *box) {
    return !box->conn || box->conn->broken;
}

int rv_rd_boxes_mend(struct rv_rd_boxes *boxes, struct rv_rd *store, struct rv_rd_box *box,
                     int64_t deadline_ms, struct rv_error *err) {
    rv_rd_conn_close(box->conn);
    box->conn = NULL;
    int rc = connect_own(boxes, store, box, deadline_ms, err);
    if (rc && box->conn) box->conn->broken = true;
    return rc;
}

/* ---- taking ---- */
static struct rv_rd_box *take_idle(struct rv_rd_boxes *boxes, uint64_t lane) {
    struct rv_rd_box **link = &boxes->idle, *box;
    (void)pthread_mutex_lock(&boxes->lock);
    while (*link && (*link)->lane != lane)
        link = &(*link)->next;
    box = *link;
    if (box) *link = box->next;
    (void)pthread_mutex_unlock(&boxes->lock);
    return box;
}

/* One to a server that was followed by another hears nothing. That it broke is noticed by who
 * listens: to ask first would cost each of them a call to the kernel. */
static bool is_fit(const struct rv_rd_box *box, const struct rv_rd_target *target) {
    return box->conn->target == target &&
           rv_clock_boot_ms(&rv_clock_real) - box->conn->idle_since_ms < RV_RD_IDLE_MS_MAX;
}

int rv_rd_boxes_take_of(struct rv_rd_boxes *boxes, struct rv_rd *store, uint64_t lane,
                        int64_t deadline_ms, struct rv_rd_box **out, struct rv_error *err) {
    const struct rv_rd_target *target;
    *out = NULL;
    int rc = rv_rd_find(store, NULL, deadline_ms, &target, err);
    if (rc) return rc;
    while ((*out = take_idle(boxes, lane)) != NULL) {
        if (is_fit(*out, target)) return 0;
        close_box(*out);
    }
    return 0;
}

int rv_rd_boxes_open_of(struct rv_rd_boxes *boxes, struct rv_rd *store, uint64_t lane,
                        const char *channel, int64_t deadline_ms, struct rv_rd_box **out,
                        struct rv_error *err) {
    struct rv_rd_box *box = calloc(1, sizeof *box);
    if (!box) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    box->lane = lane;
    box->base.address = rv_nonce_draw_address(&rv_random_system);
    int rc = channel ? connect_box(boxes, store, box, channel, deadline_ms, err)
                     : connect_own(boxes, store, box, deadline_ms, err);
    if (rc) {
        close_box(box);
        return rc;
    }
    *out = box;
    return 0;
}

int rv_rd_boxes_take(struct rv_rd_boxes *boxes, struct rv_rd *store, int64_t deadline_ms,
                     struct rv_rd_box **out, struct rv_error *err) {
    int rc = rv_rd_boxes_take_of(boxes, store, 0, deadline_ms, out, err);
    return rc || *out ? rc : rv_rd_boxes_open_of(boxes, store, 0, NULL, deadline_ms, out, err);
}

/* Those at the end of the list have been idle longest: their lanes may be no more. The lock is
 * held. */
static struct rv_rd_box *cut_old(struct rv_rd_boxes *boxes, int64_t now_ms) {
    struct rv_rd_box **link = &boxes->idle;
    while (*link && now_ms - (*link)->conn->idle_since_ms < RV_RD_IDLE_MS_MAX)
        link = &(*link)->next;
    struct rv_rd_box *old = *link;
    *link = NULL;
    return old;
}

void rv_rd_boxes_give(struct rv_rd_boxes *boxes, struct rv_rd_box *box) {
    if (!box) return;
    if (rv_rd_box_is_broken(box)) {
        close_box(box);
        return;
    }
    box->conn->idle_since_ms = rv_clock_boot_ms(&rv_clock_real);
    (void)pthread_mutex_lock(&boxes->lock);
    box->next = boxes->idle;
    boxes->idle = box;
    struct rv_rd_box *old = cut_old(boxes, box->conn->idle_since_ms);
    (void)pthread_mutex_unlock(&boxes->lock);
    close_all(old);
}

/* ---- hearing ---- */
int rv_rd_box_attend(struct rv_rd_box *box, int64_t deadline_ms, struct rv_rd_message *out,
                     struct rv_error *err) {
    int rc = 0;
    redisReply *reply;
    *out = (struct rv_rd_message){0};
    do {
        rc = rv_rd_conn_attend(box->conn, &reply, deadline_ms, err);
        if (!rc && reply) rv_rd_message_take(out, reply);
    } while (!rc && reply && !out->reply);
    return rv_rd_only_asked(rc, err);
}
