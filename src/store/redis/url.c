#include "store/redis/url.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/url.h"
#include "store/redis/env.h"

/* No part is shown in an error here but names and values of options: anything else may be a piece
 * of a password that should have been percent-encoded. */
static const char DEFAULT_PORT[] = "6379";
enum { DB_MAX = 1 << 20 };

static bool parse_number(const char *text, int64_t most, int64_t *out) {
    char *end;
    if (*text < '0' || *text > '9') return false;
    long long value = strtoll(text, &end, 10);
    *out = value;
    return !*end && value <= most;
}

/* ---- options ---- */
static int fail_option(const char *key, const char *value, struct rv_error *err) {
    return rv_fail(err, REEVE_EINVAL, "a redis url knows no parameter '%s%s%s'", key,
                   value ? "=" : "", value ? value : "");
}

static int parse_db(const char *text, struct rv_rd_url *url, struct rv_error *err) {
    int64_t db;
    if (!parse_number(text, DB_MAX, &db))
        return rv_fail(err, REEVE_EINVAL, "the database of a redis url is a number");
    url->target.db = (int)db;
    return 0;
}

static int parse_records(const char *text, struct rv_rd_url *url, struct rv_error *err) {
    int64_t records;
    unsigned log2 = 0;
    if (!parse_number(text, 1 << RV_RD_FIRST_LOG2, &records)) records = 0;
    while (log2 < RV_RD_FIRST_LOG2 && (int64_t)1 << log2 < records)
        log2++;
    if (records != (int64_t)1 << log2)
        return rv_fail(err, REEVE_EINVAL, "'records_per_key=%s': wants a power of two up to %d",
                       text, 1 << RV_RD_FIRST_LOG2);
    url->first_log2 = log2;
    return 0;
}

static int parse_option(const char *key, const char *value, struct rv_rd_url *url,
                        struct rv_error *err) {
    struct {
        const char *key, **to;
        bool tls;
    } texts[] = {
        {"prefix", &url->prefix, false},
        {"ca", &url->tls.ca, true},
        {"cert", &url->tls.cert, true},
        {"key", &url->tls.key, true},
        {"server_name", &url->tls.server_name, true},
    };
    if (!value || !*value) return fail_option(key, value, err);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strcmp(key, texts[i].key) != 0) continue;
        if (texts[i].tls && !url->by_tls)
            return rv_fail(err, REEVE_EINVAL, "'%s' is of TLS: use rediss://", key);
        *texts[i].to = value;
        return 0;
    }
    if (strcmp(key, "db") == 0) return parse_db(value, url, err);
    if (strcmp(key, "records_per_key") == 0) return parse_records(value, url, err);
    if (strcmp(key, "eviction") == 0 && strcmp(value, "allow") == 0)
        url->allow_eviction = true;
    else if (strcmp(key, "verify") == 0 && strcmp(value, "none") == 0 && url->by_tls)
        url->tls.believe_any = true;
    else
        return fail_option(key, value, err);
    return 0;
}

static int parse_options(char *query, struct rv_rd_url *url, struct rv_error *err) {
    char *key, *value;
    while (rv_url_option(&query, &key, &value)) {
        int rc = parse_option(key, value, url, err);
        if (rc) return rc;
    }
    return query ? rv_fail(err, REEVE_EINVAL, "a redis url has a '%%' that is no escape") : 0;
}

/* ---- the server ---- */
/* HOST, HOST:PORT, [IPV6] or [IPV6]:PORT */
static int parse_host(char *text, struct rv_rd_target *target, struct rv_error *err) {
    char *end = text + strcspn(text, ":");
    if (*text == '[') {
        end = strchr(++text, ']');
        if (!end) return rv_fail(err, REEVE_EINVAL, "the host of a redis url lacks its ']'");
        *end++ = '\0';
    }
    if (*end == ':' && end[1]) target->port = end + 1;
    if (*end && *end != ':') return rv_fail(err, REEVE_EINVAL, "a redis url has no such host");
    *end = '\0';
    if (*text) target->host = text;
    return rv_url_decode(text) ? 0 : rv_fail(err, REEVE_EINVAL, "a redis url has no such host");
}

static int parse_server(struct rv_url *parts, struct rv_rd_url *url, struct rv_error *err) {
    struct rv_rd_target *target = &url->target;
    target->host = "127.0.0.1";
    int rc = parse_host(parts->hosts, target, err);
    if (rc || !parts->path[0] || !parts->path[1]) return rc;
    return parse_db(parts->path + 1, url, err);
}

static int parse_socket(struct rv_url *parts, struct rv_rd_url *url, struct rv_error *err) {
    if (parts->path[0] != '/' || (parts->hosts && *parts->hosts) || !rv_url_decode(parts->path))
        return rv_fail(err, REEVE_EINVAL,
                       "redis+unix: wants the path of a socket: redis+unix:///run/redis.sock");
    url->target.path = parts->path;
    return 0;
}

static int parse_parts(struct rv_url *parts, struct rv_rd_url *url, struct rv_error *err) {
    url->by_tls = strcmp(parts->scheme, "rediss") == 0;
    url->target.user = parts->user;
    url->target.password = parts->password;
    if (strcmp(parts->scheme, "redis+unix") == 0) return parse_socket(parts, url, err);
    if (parts->hosts) return parse_server(parts, url, err);
    if (*parts->path)
        return rv_fail(err, REEVE_EINVAL, "a redis url begins with %s://", parts->scheme);
    return rv_rd_env_read(url, err);
}

/* ---- the whole ---- */
static int check(const struct rv_rd_url *url, struct rv_error *err) {
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789_.:-";
    int64_t port = 0;
    size_t size = strlen(url->prefix);
    if (!size || size > RV_RD_PREFIX_MAX || strspn(url->prefix, allowed) != size)
        return rv_fail(err, REEVE_EINVAL,
                       "the prefix of keys is 1 to %d of the characters A-Z a-z 0-9 _ . : -",
                       RV_RD_PREFIX_MAX);
    if (!parse_number(url->target.port, UINT16_MAX, &port) || !port)
        return rv_fail(err, REEVE_EINVAL, "the port of a redis server is a number up to %d",
                       UINT16_MAX);
    if (url->target.user && !url->target.password)
        return rv_fail(err, REEVE_EINVAL, "a redis user needs a password");
    if (!url->tls.cert != !url->tls.key)
        return rv_fail(err, REEVE_EINVAL, "'cert' and 'key' of a redis url need each other");
    return 0;
}

/* The address as people know it. */
static int make_shown(struct rv_rd_url *url, struct rv_error *err) {
    const struct rv_rd_target *target = &url->target;
    size_t size = sizeof "redis :" + (target->path ? strlen(target->path)
                                                   : strlen(target->host) + strlen(target->port));
    url->shown = malloc(size);
    if (!url->shown) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    if (target->path)
        (void)snprintf(url->shown, size, "redis %s", target->path);
    else
        (void)snprintf(url->shown, size, "redis %s:%s", target->host, target->port);
    url->target.shown = url->shown;
    return 0;
}

int rv_rd_url_parse(const char *url, struct rv_rd_url *out, struct rv_error *err) {
    struct rv_url parts;
    *out = (struct rv_rd_url){.prefix = "rv", .first_log2 = RV_RD_FIRST_LOG2, .text = strdup(url)};
    out->target.port = DEFAULT_PORT;
    out->target.client_name = "reeve";
    if (!out->text) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    int rc = 0;
    if (!rv_url_split(out->text, &parts))
        rc = rv_fail(err, REEVE_EINVAL, "a redis url has a '%%' that is no escape");
    if (!rc) rc = parse_parts(&parts, out, err);
    if (!rc) rc = parse_options(parts.query, out, err);
    if (!rc) rc = check(out, err);
    if (!rc) rc = make_shown(out, err);
    if (rc) rv_rd_url_release(out);
    return rc;
}

void rv_rd_url_release(struct rv_rd_url *url) {
    free(url->text);
    free(url->shown);
    url->text = url->shown = NULL;
}
