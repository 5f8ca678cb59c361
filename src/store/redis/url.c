#include "store/redis/url.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/url.h"
#include "core/limits.h"
#include "store/redis/env.h"

static const char SERVER_PORT[] = "6379", SENTINEL_PORT[] = "26379";
enum { DB_MAX = 1 << 20, WAIT_MS = 1000, WAIT_MS_MAX = 3600 * 1000 };

static bool parse_number(const char *text, int64_t most, int64_t *out) {
    char *end;
    if (*text < '0' || *text > '9') return false;
    long long value = strtoll(text, &end, 10);
    *out = value;
    return !*end && value <= most;
}

/* A piece of it in an error. Behind a '?' that should have been percent-encoded in a password, any
 * of them may be a piece of that. */
static const char *piece(const struct rv_rd_url *url, const char *text) {
    return url->is_vague ? "..." : text;
}

/* ---- options ---- */
static int fail_option(const struct rv_rd_url *url, const char *key, const char *value,
                       struct rv_error *err) {
    return rv_fail(err, REEVE_EINVAL, "a redis url knows no parameter '%s%s%s'", piece(url, key),
                   value ? "=" : "", value ? piece(url, value) : "");
}

static int parse_db(const char *text, struct rv_rd_url *url, struct rv_error *err) {
    int64_t db;
    if (!parse_number(text, DB_MAX, &db))
        return rv_fail(err, REEVE_EINVAL,
                       "the database '%s' of a redis url: wants a number up to %d",
                       piece(url, text), DB_MAX);
    if (url->target.db && url->target.db != (int)db)
        return rv_fail(err, REEVE_EINVAL, "a redis url names two databases, %d and %d",
                       url->target.db, (int)db);
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

static int parse_shards(const char *text, struct rv_rd_url *url, struct rv_error *err) {
    int64_t shards;
    if (!parse_number(text, RV_SHARDS_MAX, &shards) || !shards)
        return rv_fail(err, REEVE_EINVAL, "'shards=%s': wants a number from 1 to %d", text,
                       RV_SHARDS_MAX);
    url->shards = (unsigned)shards;
    return 0;
}

static int parse_wait(const char *text, struct rv_rd_url *url, struct rv_error *err) {
    int64_t replicas;
    if (!parse_number(text, RV_RD_REPLICAS_MAX, &replicas))
        return rv_fail(err, REEVE_EINVAL, "'wait=%s': wants a number of replicas up to %d", text,
                       RV_RD_REPLICAS_MAX);
    url->wait_replicas = (unsigned)replicas;
    return 0;
}

static int parse_wait_timeout(const char *text, struct rv_rd_url *url, struct rv_error *err) {
    char *unit = NULL;
    long long value = *text >= '0' && *text <= '9' ? strtoll(text, &unit, 10) : 0;
    int64_t ms = unit && strcmp(unit, "s") == 0 ? 1000 : unit && strcmp(unit, "ms") == 0 ? 1 : 0;
    if (!ms || value < 1 || value > WAIT_MS_MAX / ms)
        return rv_fail(err, REEVE_EINVAL,
                       "'wait_timeout=%s': wants a time of at most %d s, like 200ms or 2s", text,
                       WAIT_MS_MAX / 1000);
    url->wait_ms = value * ms;
    return 0;
}

/* Some are of use only with TLS, or with Sentinels. */
static int check_use(const struct rv_rd_url *url, const char *key, bool tls, bool sentinel,
                     struct rv_error *err) {
    if (tls && !url->by_tls)
        return rv_fail(err, REEVE_EINVAL, "'%s' is of TLS: use rediss://", key);
    if (sentinel && url->shape != RV_RD_SENTINEL)
        return rv_fail(err, REEVE_EINVAL, "'%s' is of Sentinels: use redis+sentinel://", key);
    return 0;
}

/* Options that there is one word for. *known: it is one of them. */
static int parse_switch(const char *key, const char *value, struct rv_rd_url *url, bool *known,
                        struct rv_error *err) {
    const struct {
        const char *key, *word;
        bool *to;
        bool tls, sentinel; /* only with these */
    } switches[] = {
        {"eviction", "allow", &url->allow_eviction, false, false},
        {"verify", "none", &url->tls.believe_any, true, false},
        {"sentinel_tls", "no", &url->sentinel_plain, true, true},
    };
    *known = false;
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
        if (strcmp(key, switches[i].key) != 0) continue;
        *known = true;
        int rc = check_use(url, key, switches[i].tls, switches[i].sentinel, err);
        if (rc) return rc;
        if (strcmp(value, switches[i].word) != 0)
            return rv_fail(err, REEVE_EINVAL, "'%s=%s' of a redis url: wants %s=%s", key,
                           piece(url, value), key, switches[i].word);
        *switches[i].to = true;
    }
    return 0;
}

static int parse_option(const char *key, const char *value, struct rv_rd_url *url,
                        struct rv_error *err) {
    struct {
        const char *key, **to;
        bool tls, sentinel; /* only with these */
    } texts[] = {
        {"prefix", &url->prefix, false, false},
        {"ca", &url->tls.ca, true, false},
        {"cert", &url->tls.cert, true, false},
        {"key", &url->tls.key, true, false},
        {"server_name", &url->tls.server_name, true, false},
        {"sentinel_user", &url->sentinel_user, false, true},
        {"sentinel_password", &url->sentinel_password, false, true},
    };
    if (!value || !*value) return fail_option(url, key, value, err);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strcmp(key, texts[i].key) != 0) continue;
        int rc = check_use(url, key, texts[i].tls, texts[i].sentinel, err);
        if (!rc) *texts[i].to = value;
        return rc;
    }
    if (strcmp(key, "db") == 0) return parse_db(value, url, err);
    if (strcmp(key, "records_per_key") == 0) return parse_records(value, url, err);
    if (strcmp(key, "shards") == 0) return parse_shards(value, url, err);
    if (strcmp(key, "wait") == 0) return parse_wait(value, url, err);
    if (strcmp(key, "wait_timeout") == 0) return parse_wait_timeout(value, url, err);
    bool known;
    int rc = parse_switch(key, value, url, &known, err);
    return known ? rc : fail_option(url, key, value, err);
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
/* HOST, HOST:PORT, [IPV6] or [IPV6]:PORT. What is not said is left as it is. */
static int parse_host(const struct rv_rd_url *url, char *text, struct rv_rd_host *out,
                      struct rv_error *err) {
    char *end = *text == '[' ? strchr(text, ']') : text + strcspn(text, ":");
    if (end && *end == ']') end++;
    if (!end || (*end && *end != ':'))
        return rv_fail(err, REEVE_EINVAL,
                       "'%s' of a redis url: wants HOST, HOST:PORT, [IPV6] or [IPV6]:PORT",
                       piece(url, text));
    if (*end == ':' && end[1]) out->port = end + 1;
    *end = '\0';
    if (*text == '[') {
        text++;
        end[-1] = '\0';
    }
    if (*text) out->host = text;
    if (rv_url_decode(text)) return 0;
    return rv_fail(err, REEVE_EINVAL, "the host of a redis url has a '%%' that is no escape");
}

static int parse_server(struct rv_url *parts, struct rv_rd_url *url, struct rv_error *err) {
    struct rv_rd_host server = {"127.0.0.1", SERVER_PORT};
    int rc = parse_host(url, parts->hosts, &server, err);
    url->target.host = server.host;
    url->target.port = server.port;
    if (rc || !parts->path[0] || !parts->path[1]) return rc;
    return parse_db(parts->path + 1, url, err);
}

/* ---- several ---- */
static int add_host(struct rv_rd_url *url, char *text, const char *port, struct rv_error *err) {
    const char *usual = url->shape == RV_RD_SENTINEL ? SENTINEL_PORT : SERVER_PORT;
    struct rv_rd_host host = {"127.0.0.1", port ? port : usual};
    if (url->host_count == RV_RD_HOSTS_MAX)
        return rv_fail(err, REEVE_EINVAL, "a redis url names %d hosts at most", RV_RD_HOSTS_MAX);
    int rc = parse_host(url, text, &host, err);
    if (!rc) url->hosts[url->host_count++] = host;
    return rc;
}

int rv_rd_url_add_hosts(struct rv_rd_url *url, const char *text, const char *port,
                        struct rv_error *err) {
    char *at = url->host_text = strdup(text);
    if (!at) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    int rc = 0;
    while (!rc && at) {
        char *comma = strchr(at, ',');
        if (comma) *comma = '\0';
        if (!*at && strchr(text, ','))
            rc = rv_fail(err, REEVE_EINVAL,
                         "'%s' names several hosts, and one of them is empty: wants HOST,HOST",
                         piece(url, text));
        else
            rc = add_host(url, at, port, err);
        at = comma ? comma + 1 : NULL;
    }
    return rc;
}

static int parse_sentinels(struct rv_url *parts, struct rv_rd_url *url, struct rv_error *err) {
    char *name = *parts->path ? parts->path + 1 : parts->path;
    char *db = strchr(name, '/');
    if (db) *db++ = '\0';
    if (!*name || !rv_url_decode(name))
        return rv_fail(err, REEVE_EINVAL,
                       "%s:// wants the name of a primary behind its hosts: %s://HOST,HOST/NAME",
                       parts->scheme, parts->scheme);
    url->primary = name;
    int rc = db && *db ? parse_db(db, url, err) : 0;
    return rc ? rc : rv_rd_url_add_hosts(url, parts->hosts, NULL, err);
}

static int parse_cluster(struct rv_url *parts, struct rv_rd_url *url, struct rv_error *err) {
    if (parts->path[0] && parts->path[1] && strcmp(parts->path, "/0") != 0)
        return rv_fail(err, REEVE_EINVAL,
                       "a cluster has no databases: nothing stands behind the "
                       "hosts of %s://HOST,HOST",
                       parts->scheme);
    return rv_rd_url_add_hosts(url, parts->hosts, NULL, err);
}

static int parse_socket(struct rv_url *parts, struct rv_rd_url *url, struct rv_error *err) {
    if (parts->path[0] != '/' || (parts->hosts && *parts->hosts) || !rv_url_decode(parts->path))
        return rv_fail(err, REEVE_EINVAL,
                       "redis+unix: wants the path of a socket: redis+unix:///run/redis.sock");
    url->target.path = parts->path;
    return 0;
}

static int parse_parts(struct rv_url *parts, struct rv_rd_url *url, struct rv_error *err) {
    const char *plus = strchr(parts->scheme, '+');
    url->by_tls = strncmp(parts->scheme, "rediss", strlen("rediss")) == 0;
    url->target.user = parts->user;
    url->target.password = parts->password;
    if (plus && strcmp(plus, "+unix") == 0) return parse_socket(parts, url, err);
    if (plus) url->shape = strcmp(plus, "+cluster") == 0 ? RV_RD_CLUSTER : RV_RD_SENTINEL;
    if (!parts->hosts && (plus || *parts->path))
        return rv_fail(err, REEVE_EINVAL, "a redis url begins with %s://", parts->scheme);
    if (!parts->hosts) return rv_rd_env_read(url, err);
    if (url->shape == RV_RD_CLUSTER) return parse_cluster(parts, url, err);
    if (url->shape == RV_RD_SENTINEL) return parse_sentinels(parts, url, err);
    return parse_server(parts, url, err);
}

/* ---- the whole ---- */
static int check_port(const struct rv_rd_url *url, const char *text, struct rv_error *err) {
    int64_t port = 0;
    if (parse_number(text, UINT16_MAX, &port) && port) return 0;
    return rv_fail(err, REEVE_EINVAL,
                   "the port '%s' of a redis server: wants a number from 1 to %d", piece(url, text),
                   UINT16_MAX);
}

static int check(const struct rv_rd_url *url, struct rv_error *err) {
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789_.:-";
    size_t size = strlen(url->prefix);
    if (!size || size > RV_RD_PREFIX_MAX || strspn(url->prefix, allowed) != size)
        return rv_fail(
            err, REEVE_EINVAL,
            "the prefix '%s' of keys: wants 1 to %d of the characters A-Z a-z 0-9 _ . : -",
            piece(url, url->prefix), RV_RD_PREFIX_MAX);
    if ((url->target.user && !url->target.password) ||
        (url->sentinel_user && !url->sentinel_password))
        return rv_fail(err, REEVE_EINVAL, "a redis user needs a password");
    if (!url->tls.cert != !url->tls.key)
        return rv_fail(err, REEVE_EINVAL, "'cert' and 'key' of a redis url need each other");
    if (url->shape == RV_RD_CLUSTER && url->target.db)
        return rv_fail(err, REEVE_EINVAL, "a cluster has no database %d", url->target.db);
    int rc = url->shape == RV_RD_ONE ? check_port(url, url->target.port, err) : 0;
    for (size_t i = 0; !rc && i < url->host_count; i++)
        rc = check_port(url, url->hosts[i].port, err);
    return rc;
}

static void show_host(struct rv_buf *out, const struct rv_rd_host *host) {
    const bool is_v6 = strchr(host->host, ':') != NULL;
    if (is_v6) (void)rv_buf_add_text(out, "[");
    (void)rv_buf_add_text(out, host->host);
    (void)rv_buf_add_text(out, is_v6 ? "]:" : ":");
    (void)rv_buf_add_text(out, host->port);
}

/* The address as people know it. */
static int make_shown(struct rv_rd_url *url, struct rv_error *err) {
    const struct rv_rd_target *target = &url->target;
    struct rv_buf shown;
    rv_buf_init(&shown, SIZE_MAX);
    (void)rv_buf_add_text(&shown, url->shape == RV_RD_CLUSTER    ? "redis cluster "
                                  : url->shape == RV_RD_SENTINEL ? "redis by sentinel "
                                                                 : "redis ");
    if (target->path) (void)rv_buf_add_text(&shown, target->path);
    struct rv_rd_host one = {target->host, target->port};
    const struct rv_rd_host *hosts = url->shape == RV_RD_ONE ? &one : url->hosts;
    size_t count = url->shape == RV_RD_ONE ? !target->path : url->host_count;
    for (size_t i = 0; i < count; i++) {
        if (i) (void)rv_buf_add_text(&shown, ",");
        show_host(&shown, &hosts[i]);
    }
    char db[32];
    (void)snprintf(db, sizeof db, " database %d", target->db);
    if (target->db) (void)rv_buf_add_text(&shown, db);
    if (rv_buf_add(&shown, "", 1)) {
        rv_buf_release(&shown);
        return rv_fail(err, REEVE_ENOMEM, "out of memory");
    }
    url->target.shown = url->shown = (char *)shown.data;
    return 0;
}

int rv_rd_url_parse(const char *url, struct rv_rd_url *out, struct rv_error *err) {
    struct rv_url parts;
    *out = (struct rv_rd_url){
        .prefix = "rv", .first_log2 = RV_RD_FIRST_LOG2, .wait_ms = WAIT_MS, .text = strdup(url)};
    out->target.port = SERVER_PORT;
    out->target.client_name = "reeve";
    if (!out->text) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    int rc = 0;
    if (!rv_url_split(out->text, &parts))
        rc = rv_fail(err, REEVE_EINVAL, "a redis url has a '%%' that is no escape");
    out->is_vague = !rc && parts.query && strchr(parts.query, '@');
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
    free(url->host_text);
    url->text = url->shown = url->host_text = NULL;
}
