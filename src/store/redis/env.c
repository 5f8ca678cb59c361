#include "store/redis/env.h"

#include <stdlib.h>

enum { OURS_SIZE = sizeof "REEVE_" - 1 };

/* name begins with REEVE_; without, it is what most programs of a machine share. */
static const char *get(const char *name) {
    const char *value = getenv(name);
    if (!value || !*value) value = getenv(name + OURS_SIZE);
    return value && *value ? value : NULL;
}

int rv_rd_env_read(struct rv_rd_url *url, struct rv_error *err) {
    if (get("REEVE_REDIS_SENTINEL_HOST"))
        return rv_fail(err, REEVE_ENOTSUP,
                       "REDIS_SENTINEL_HOST names a Sentinel: not supported yet; unset it and set "
                       "REEVE_REDIS_HOST");
    const char *host = get("REEVE_REDIS_HOST"), *port = get("REEVE_REDIS_PORT");
    const char *prefix = get("REEVE_REDIS_PREFIX");
    if (!host)
        return rv_fail(err, REEVE_EINVAL,
                       "redis: names no server: set REEVE_REDIS_HOST (or REDIS_HOST), or give the "
                       "whole url, such as redis://HOST:6379");
    url->target.host = host;
    if (port) url->target.port = port;
    if (prefix) url->prefix = prefix;
    url->target.user = get("REEVE_REDIS_USERNAME");
    url->target.password = get("REEVE_REDIS_PASSWORD");
    return 0;
}
