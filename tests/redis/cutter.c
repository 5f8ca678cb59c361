/* cutter PORT: a line to the server at that port of loopback, cut at random until this is killed.
 * Prints the port of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/random.h"
#include "redis/proxy.h"

enum { PAUSE_MS_MAX = 40, BYTES_MAX = 20000 };

int main(int argc, char **argv) {
    int port = argc == 2 ? (int)strtol(argv[1], NULL, 10) : 0;
    if (!port) return 2;
    struct proxy *proxy = proxy_open(port);
    (void)printf("%d\n", proxy_port(proxy));
    (void)fflush(stdout);
    for (;;) {
        int64_t ms = rv_random_below(&rv_random_system, PAUSE_MS_MAX);
        enum proxy_way way = rv_random_below(&rv_random_system, 2) ? PROXY_REPLIES : PROXY_REQUESTS;
        (void)nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
        proxy_cut(proxy, way, rv_random_below(&rv_random_system, BYTES_MAX));
    }
}
