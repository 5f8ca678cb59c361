/* Where a server is, and how to begin with it. */
#ifndef RV_STORE_REDIS_TARGET_H
#define RV_STORE_REDIS_TARGET_H

struct rv_rd_tls;

struct rv_rd_target {
    const char *host, *port;     /* or */
    const char *path;            /* of a unix socket; NULL: by host and port */
    const char *shown;           /* host:port or the path: for people; never a password */
    const char *user, *password; /* NULL: not asked for; a password alone is the default user's */
    const char *client_name;     /* what the server lists this connection as */
    int db;
    const struct rv_rd_tls *tls; /* NULL: plain */
};

#endif
