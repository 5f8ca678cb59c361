/* The store `sqlite:PATH`: opening, closing, and the table of its ops. */
#include "store/sqlite/sqlite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/sqlite/groups.h"
#include "store/sqlite/place.h"

/* ---- the url ---- sqlite:PATH[?synchronous=full|normal|off][&network=allow] ---- */
struct options {
    char *path; /* one block */
    const char *synchronous;
    struct rv_sq_place_rules place;
};

static int parse_option(char *option, struct options *out, struct rv_error *err) {
    static const char *const levels[] = {"full", "normal", "off"};
    char *value = strchr(option, '=');
    if (value) *value++ = '\0';
    if (strcmp(option, "synchronous") == 0 && value) {
        for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
            if (strcmp(value, levels[i]) != 0) continue;
            out->synchronous = levels[i];
            return 0;
        }
        return rv_fail(err, REEVE_EINVAL, "synchronous is full, normal or off, not '%s'", value);
    }
    if (strcmp(option, "network") == 0 && value && strcmp(value, "allow") == 0) {
        out->place.allow_network = true;
        return 0;
    }
    return rv_fail(err, REEVE_EINVAL, "sqlite: knows no parameter '%s%s%s'", option,
                   value ? "=" : "", value ? value : "");
}

static int parse_url(const char *url, struct options *out, struct rv_error *err) {
    const char *text = strchr(url, ':') + 1; /* the scheme was recognised */
    *out = (struct options){.synchronous = "full"};
    out->path = malloc(strlen(text) + 1);
    if (!out->path) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    memcpy(out->path, text, strlen(text) + 1);
    int rc = 0;
    char *option = strchr(out->path, '?');
    while (option && !rc) {
        *option++ = '\0';
        char *next = strchr(option, '&');
        if (next) *next = '\0';
        rc = parse_option(option, out, err);
        option = next;
    }
    if (!rc && !*out->path) rc = rv_fail(err, REEVE_EINVAL, "sqlite: names no file");
    return rc;
}

/* ---- opening ---- */
/* The first connection makes the file a store, and stays. */
static int meet_file(struct rv_sq *store, struct rv_error *err) {
    struct rv_sq_conn *conn;
    int rc = rv_sq_pool_take(&store->pool, store->timeout_ms, &conn, err);
    if (!rc) rv_sq_pool_give(&store->pool, conn);
    return rc;
}

static void close_parts(struct rv_sq *store) {
    rv_sq_pool_release(&store->pool);
    rv_sq_gate_release(&store->gate);
    rv_sq_bell_release(&store->bell);
}

/* store->path is set. */
static int open_parts(struct rv_sq *store, const char *synchronous, struct rv_error *err) {
    int rc = rv_sq_bell_init(&store->bell, store->path, err);
    if (rc) return rc;
    if (rv_sq_gate_init(&store->gate)) {
        rv_sq_bell_release(&store->bell);
        return rv_fail(err, REEVE_ENOMEM, "out of memory");
    }
    rc = rv_sq_pool_init(&store->pool, store->path, synchronous, store->log, err);
    if (rc) {
        rv_sq_gate_release(&store->gate);
        rv_sq_bell_release(&store->bell);
        return rc;
    }
    rc = meet_file(store, err);
    if (rc) close_parts(store);
    return rc;
}

static int sqlite_open(struct rv_store **out, const char *url, const struct rv_store_config *config,
                       struct rv_error *err) {
    struct options options;
    struct rv_sq *store = calloc(1, sizeof *store);
    if (!store) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    store->base.ops = &rv_store_sqlite;
    store->timeout_ms = config->timeout_ms;
    store->log = config->log;
    store->clock = config->clock;
    store->boot_ahead_ms = rv_clock_boot_ahead_ms();
    (void)snprintf(store->space, sizeof store->space, "%s", config->space);
    int rc = parse_url(url, &options, err);
    options.place.make_folders = config->make_folders;
    if (!rc) rc = rv_sq_place_make(options.path, &options.place, &store->path, err);
    free(options.path);
    if (!rc) rc = open_parts(store, options.synchronous, err);
    if (rc) {
        free(store->path);
        free(store);
        return rc;
    }
    *out = &store->base;
    return 0;
}

static void sqlite_close(struct rv_store *s) {
    struct rv_sq *store = (struct rv_sq *)s;
    close_parts(store);
    free(store->path);
    free(store);
}

static int64_t sqlite_now_ms(const struct rv_store *s) {
    return rv_clock_wall_ms(((const struct rv_sq *)s)->clock);
}

const struct rv_store_ops rv_store_sqlite = {
    .caps = RV_CAP_SHARED | RV_CAP_DURABLE | RV_CAP_GRANTS | RV_CAP_STREAMS,
    .open = sqlite_open,
    .close = sqlite_close,
    .now_ms = sqlite_now_ms,
    .push = rv_sq_push,
    .exchange = rv_sq_exchange,
    .renew = rv_sq_renew,
    .lapsed = rv_sq_lapsed,
    .tend = rv_sq_tend,
    .read = rv_sq_read,
    .cancel = rv_sq_cancel,
    .revive = rv_sq_revive,
    .remove = rv_sq_remove,
    .keep = rv_sq_keep,
    .check = rv_sq_check,
    .note = rv_sq_note,
    .purge = rv_sq_purge,
    .list = rv_sq_list,
    .queues = rv_sq_queues,
    .stats = rv_sq_stats,
    .pause = rv_sq_pause,
    .set = rv_sq_set,
    .beat = rv_sq_beat,
    .leave = rv_sq_leave,
    .workers = rv_sq_workers,
    .grant_take = rv_sq_grant_take,
    .grant_renew = rv_sq_grant_renew,
    .grant_release = rv_sq_grant_release,
    .grant_check = rv_sq_grant_check,
    .grant_resign = rv_sq_grant_resign,
    .grants = rv_sq_grants,
    .streams = &rv_sq_streams,
    .wait = rv_sq_wait,
    .wake = rv_sq_wake,
    .announce = rv_sq_announce,
    .events = rv_sq_events,
    .examine = rv_sq_examine,
};
