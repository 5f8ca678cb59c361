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

enum {
    WAIT_MS = 2,    /* one read of it may wait for so long: most of what is awaited comes by then */
    HEED_US = 1000, /* who listens beside waits for an answer, too: he is not kept for long */
};

int rv_rd_boxes_init(struct rv_rd_boxes *boxes, const char *kind, struct rv_error *err) {
    *boxes = (struct rv_rd_boxes){.kind = kind};
    if (pthread_mutex_init(&boxes->lock, NULL)) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    return 0;
}

static void close_box(struct rv_rd_box *box) {
    rv_rd_conn_close(box->conn);
    free(box);
}

void rv_rd_boxes_release(struct rv_rd_boxes *boxes) {
    while (boxes->idle) {
        struct rv_rd_box *box = boxes->idle;
        boxes->idle = box->next;
        close_box(box);
    }
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

static int open_box(struct rv_rd_boxes *boxes, struct rv_rd_box *box, const char *channel,
                    const struct rv_rd_target *target, int64_t deadline_ms, struct rv_error *err) {
    int rc = rv_rd_conn_open(target, deadline_ms, &box->conn, err);
    if (!rc) rc = subscribe(boxes, box, channel, deadline_ms, err);
    if (rc) return rc;
    rv_rd_wire_let_wait(&box->conn->wire, WAIT_MS);
    box->conn->heed_us = HEED_US;
    return 0;
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

/* One that stands. One to a server that was followed by another hears nothing. */
static struct rv_rd_box *take_good(struct rv_rd_boxes *boxes, uint64_t lane,
                                   const struct rv_rd_target *target) {
    struct rv_rd_box *box;
    while ((box = take_idle(boxes, lane)) != NULL) {
        if (box->conn->target == target) return box;
        close_box(box);
    }
    return NULL;
}

/* channel: NULL: one by an address of its own. */
static int take(struct rv_rd_boxes *boxes, struct rv_rd *store, uint64_t lane, const char *channel,
                int64_t deadline_ms, struct rv_rd_box **out, struct rv_error *err) {
    char name[32], own[RV_RD_KEY_SIZE];
    const struct rv_rd_target *target;
    if (atomic_load(&boxes->refused))
        return rv_fail(err, REEVE_EUNREACHABLE, "channels %s:*: not for this user", boxes->kind);
    int rc = rv_rd_find(store, NULL, deadline_ms, &target, err);
    *out = NULL;
    if (rc) return rc;
    *out = take_good(boxes, lane, target);
    if (*out) return 0;
    struct rv_rd_box *box = calloc(1, sizeof *box);
    if (!box) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    box->lane = lane;
    box->address = rv_nonce_draw_address(&rv_random_system);
    (void)snprintf(name, sizeof name, "%s:%08" PRIx32, boxes->kind, box->address);
    rv_rd_key(store, NULL, name, own);
    rc = open_box(boxes, box, channel ? channel : own, target, deadline_ms, err);
    if (rc)
        close_box(box);
    else
        *out = box;
    return rc;
}

int rv_rd_boxes_take(struct rv_rd_boxes *boxes, struct rv_rd *store, int64_t deadline_ms,
                     struct rv_rd_box **out, struct rv_error *err) {
    return take(boxes, store, 0, NULL, deadline_ms, out, err);
}

int rv_rd_boxes_take_of(struct rv_rd_boxes *boxes, struct rv_rd *store, uint64_t lane,
                        const char *channel, int64_t deadline_ms, struct rv_rd_box **out,
                        struct rv_error *err) {
    return take(boxes, store, lane, channel, deadline_ms, out, err);
}

void rv_rd_boxes_give(struct rv_rd_boxes *boxes, struct rv_rd_box *box) {
    if (!box) return;
    if (box->conn->broken) {
        close_box(box);
        return;
    }
    (void)pthread_mutex_lock(&boxes->lock);
    box->next = boxes->idle;
    boxes->idle = box;
    (void)pthread_mutex_unlock(&boxes->lock);
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
