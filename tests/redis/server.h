/* A real server, started by tools/servers (its path: $REEVE_SERVERS) in a folder of its own. */
#ifndef REDIS_SERVER_H
#define REDIS_SERVER_H

#include <sys/types.h>

struct server {
    char *folder;
    char url[512];
    int port;  /* 0 if it has none */
    pid_t pid; /* 0 if it was stopped */
    char with[64];
};

/* with: as tools/servers wants it, separated by spaces. The test fails if there is none. */
struct server *server_start(const char *with);
void server_stop(struct server *server);  /* ends it; may be started again where it was */
void server_again(struct server *server); /* on the same port */
void server_destroy(struct server *server);

#endif
