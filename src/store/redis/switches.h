/* What a Sentinel says of fail-overs, while somebody waits: a connection to one of them, subscribed
 * to +switch-master. A hint only: whoever is asked for the primary asks them all (sentinel.h), and
 * without it a fail-over is noticed by an error, or after some seconds (topology.h). */
#ifndef RV_STORE_REDIS_SWITCHES_H
#define RV_STORE_REDIS_SWITCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rv_rd_conn;
struct rv_rd_topology;

struct rv_rd_switches {
    struct rv_rd_conn *conn; /* NULL: none */
    size_t turn;             /* which Sentinel is next */
    int64_t tried_ms;        /* when last; boot, 0: never */
};

void rv_rd_switches_close(struct rv_rd_switches *switches);
/* Sees to it that one of them is listened to, if it can be had soon; tried every few seconds. */
void rv_rd_switches_listen(struct rv_rd_switches *switches, const struct rv_rd_topology *topology);
/* Whether it has told of another primary. Who is it now is doubted then. */
bool rv_rd_switches_hear(struct rv_rd_switches *switches, struct rv_rd_topology *topology);

#endif
