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

/* options and what is in it outlive it. */
int rv_rd_tls_create(const struct rv_rd_tls_options *options, struct rv_rd_tls **out,
                     struct rv_error *err);
void rv_rd_tls_destroy(struct rv_rd_tls *tls);

/* A session with host (unless options names another) over the connected socket *fd, which outlives
 * it; not begun yet. SSL_free() ends it. */
int rv_rd_tls_session(const struct rv_rd_tls *tls, const char *host, int *fd, struct ssl_st **out,
                      struct rv_error *err);

/* Did the server ask for a certificate, and we had none? It need not insist. */
bool rv_rd_tls_lacks_certificate(const struct ssl_st *ssl);

#endif
