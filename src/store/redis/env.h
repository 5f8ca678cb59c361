/* Where the server is if the url only says `redis:`. */
#ifndef RV_STORE_REDIS_ENV_H
#define RV_STORE_REDIS_ENV_H

#include "base/error.h"
#include "store/redis/url.h"

/* Fills in what REEVE_REDIS_HOST, PORT, USERNAME, PASSWORD and PREFIX say, each of which may also
 * lack its REEVE_; what is empty counts as not there. If SENTINEL_HOST names Sentinels (by commas;
 * SENTINEL_PORT, SENTINEL_NAME, SENTINEL_USERNAME, SENTINEL_PASSWORD) they win over a host. */
int rv_rd_env_read(struct rv_rd_url *url, struct rv_error *err);

#endif
