#include "store/redis/env.h"

#include <stdlib.h>

enum { OURS_SIZE = sizeof "REEVE_" - 1 };

/* name begins with REEVE_; without, it is what most programs of a machine share. */
static const char *get(const char *name) {
    const char *value = getenv(name);
    if (!value || !*value) value = getenv(name + OURS_SIZE);
    return value && *value ? value : NULL;
}

/* As in SENTINEL_HOST, SENTINEL_PORT, SENTINEL_NAME: one of them; or several hosts by commas. */
static int read_sentinels(struct rv_rd_url *url, const char *hosts, struct rv_error *err) {
    const char *port = get("REEVE_REDIS_SENTINEL_PORT");
    url->shape = RV_RD_SENTINEL;
    url->primary = get("REEVE_REDIS_SENTINEL_NAME");
    if (!url->primary)
        return rv_fail(err, REEVE_EINVAL,
                       "REDIS_SENTINEL_HOST names a Sentinel, and REEVE_REDIS_SENTINEL_NAME (or "
                       "REDIS_SENTINEL_NAME) no primary to ask it for");
    url->sentinel_user = get("REEVE_REDIS_SENTINEL_USERNAME");
    url->sentinel_password = get("REEVE_REDIS_SENTINEL_PASSWORD");
    return rv_rd_url_add_hosts(url, hosts, port, err);
}

int rv_rd_env_read(struct rv_rd_url *url, struct rv_error *err) {
    const char *host = get("REEVE_REDIS_HOST"), *port = get("REEVE_REDIS_PORT");
    const char *prefix = get("REEVE_REDIS_PREFIX"), *sentinels = get("REEVE_REDIS_SENTINEL_HOST");
    if (prefix) url->prefix = prefix;
    url->target.user = get("REEVE_REDIS_USERNAME");
    url->target.password = get("REEVE_REDIS_PASSWORD");
    if (sentinels) return read_sentinels(url, sentinels, err);
    if (!host)
        return rv_fail(err, REEVE_EINVAL,
                       "redis: names no server: set REEVE_REDIS_HOST (or REDIS_HOST), or give the "
                       "whole url, such as redis://HOST:6379");
    url->target.host = host;
    if (port) url->target.port = port;
    return 0;
}
