/* TLS: who we are and whom we believe, made once per store; and one session per connection. */
#ifndef RV_STORE_REDIS_TLS_H
#define RV_STORE_REDIS_TLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct ssl_st;

struct rv_rd_tls_options {
    const char *ca, *cert, *key; /* files, or NULL */
    const char *server_name;     /* NULL: the target's host */
    bool believe_any;            /* verify nothing */
};

struct rv_rd_tls;

/* name: of the server, if options gives none. */
int rv_rd_tls_create(const struct rv_rd_tls_options *options, const char *name,
                     struct rv_rd_tls **out, struct rv_error *err);
void rv_rd_tls_destroy(struct rv_rd_tls *tls);

/* A session over the connected socket *fd, which outlives it; not begun yet. SSL_free() ends it. */
int rv_rd_tls_session(const struct rv_rd_tls *tls, int *fd, struct ssl_st **out,
                      struct rv_error *err);

#endif
