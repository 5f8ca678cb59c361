/* A line to a server that can be cut: forwards TCP from a port of its own, spoilt as told. */
#ifndef REDIS_PROXY_H
#define REDIS_PROXY_H

#include <stdint.h>

enum proxy_way { PROXY_REQUESTS, PROXY_REPLIES };

struct proxy;

struct proxy *proxy_open(int server_port); /* the test fails if it cannot be had */
void proxy_close(struct proxy *proxy);     /* NULL is fine; cuts all its lines */
int proxy_port(const struct proxy *proxy);
unsigned proxy_lines(struct proxy *proxy); /* how many were ever opened */

/* Lets `after` more bytes pass that way, on whichever line, and then cuts the line that brings the
 * next one; once. */
void proxy_cut(struct proxy *proxy, enum proxy_way way, int64_t after);
void proxy_cut_none(struct proxy *proxy);
/* Swallows all that comes that way, until told otherwise. */
void proxy_swallow(struct proxy *proxy, enum proxy_way way, int swallow);
/* Each piece waits so long before it goes on. */
void proxy_delay(struct proxy *proxy, int64_t ms);

#endif
