#include "redis/proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "harness/check.h"

enum { LINES_MAX = 64, PIECE = 4096, LOOK_MS = 20 };

struct wire {
    int client, server;
};

/* One thread does it all: what is forwarded is little. */
struct proxy {
    int listener, port, server_port;
    pthread_t thread;
    pthread_mutex_t lock; /* guards all below but the lines, which are the thread's */
    bool ending;
    unsigned opened;
    int64_t left[2]; /* until the cut; -1: none */
    bool swallow[2];
    int64_t delay_ms;
    struct wire lines[LINES_MAX];
    size_t count;
};

static struct sockaddr_in loopback(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static int dial(int port) {
    struct sockaddr_in address = loopback(port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
    if (fd >= 0) (void)close(fd);
    return -1;
}

static void send_all(int fd, const char *data, size_t size) {
    while (size) {
        ssize_t sent = send(fd, data, size, MSG_NOSIGNAL);
        if (sent <= 0) return; /* the other side will be told by its own end */
        data += sent;
        size -= (size_t)sent;
    }
}

/* How many of size bytes may pass; *cut if the line ends after them. */
static size_t judge(struct proxy *proxy, enum proxy_way way, size_t size, bool *cut,
                    int64_t *delay_ms) {
    (void)pthread_mutex_lock(&proxy->lock);
    *cut = proxy->left[way] >= 0 && (int64_t)size > proxy->left[way];
    *delay_ms = proxy->delay_ms;
    if (*cut) {
        size = (size_t)proxy->left[way];
        proxy->left[way] = -1;
    } else if (proxy->left[way] >= 0) {
        proxy->left[way] -= (int64_t)size;
    }
    if (proxy->swallow[way]) size = 0;
    (void)pthread_mutex_unlock(&proxy->lock);
    return size;
}

/* False when the line is over. */
static bool forward(struct proxy *proxy, enum proxy_way way, int from, int to) {
    char piece[PIECE];
    bool cut;
    int64_t delay_ms;
    ssize_t size = recv(from, piece, sizeof piece, 0);
    if (size <= 0) return false;
    size_t passes = judge(proxy, way, (size_t)size, &cut, &delay_ms);
    if (delay_ms)
        (void)nanosleep(
            &(struct timespec){.tv_sec = delay_ms / 1000, .tv_nsec = delay_ms % 1000 * 1000000},
            NULL);
    send_all(to, piece, passes);
    return !cut;
}

static void close_line(struct proxy *proxy, size_t i) {
    (void)close(proxy->lines[i].client);
    (void)close(proxy->lines[i].server);
    proxy->lines[i] = proxy->lines[--proxy->count];
}

static void open_line(struct proxy *proxy) {
    int client = accept(proxy->listener, NULL, NULL);
    int server = client >= 0 && proxy->count < LINES_MAX ? dial(proxy->server_port) : -1;
    if (server < 0) {
        if (client >= 0) (void)close(client);
        return;
    }
    proxy->lines[proxy->count++] = (struct wire){client, server};
    (void)pthread_mutex_lock(&proxy->lock);
    proxy->opened++;
    (void)pthread_mutex_unlock(&proxy->lock);
}

static void serve(struct proxy *proxy) {
    struct pollfd fds[1 + 2 * LINES_MAX] = {{.fd = proxy->listener, .events = POLLIN}};
    for (size_t i = 0; i < proxy->count; i++) {
        fds[1 + 2 * i] = (struct pollfd){.fd = proxy->lines[i].client, .events = POLLIN};
        fds[2 + 2 * i] = (struct pollfd){.fd = proxy->lines[i].server, .events = POLLIN};
    }
    if (poll(fds, 1 + 2 * proxy->count, LOOK_MS) <= 0) return;
    for (size_t i = proxy->count; i-- > 0;) {
        struct wire line = proxy->lines[i];
        bool stands = true;
        if (fds[1 + 2 * i].revents)
            stands = forward(proxy, PROXY_REQUESTS, line.client, line.server);
        if (stands && fds[2 + 2 * i].revents)
            stands = forward(proxy, PROXY_REPLIES, line.server, line.client);
        if (!stands) close_line(proxy, i);
    }
    if (fds[0].revents) open_line(proxy);
}

static void *run(void *arg) {
    struct proxy *proxy = arg;
    for (bool ending = false; !ending;) {
        serve(proxy);
        (void)pthread_mutex_lock(&proxy->lock);
        ending = proxy->ending;
        (void)pthread_mutex_unlock(&proxy->lock);
    }
    while (proxy->count)
        close_line(proxy, proxy->count - 1);
    return NULL;
}

struct proxy *proxy_open(int server_port) {
    struct proxy *proxy = calloc(1, sizeof *proxy);
    CHECK(proxy != NULL);
    struct sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    proxy->server_port = server_port;
    proxy->left[0] = proxy->left[1] = -1;
    proxy->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_INT(bind(proxy->listener, (struct sockaddr *)&address, sizeof address), 0);
    CHECK_INT(listen(proxy->listener, LINES_MAX), 0);
    CHECK_INT(getsockname(proxy->listener, (struct sockaddr *)&address, &size), 0);
    proxy->port = ntohs(address.sin_port);
    CHECK_INT(pthread_mutex_init(&proxy->lock, NULL), 0);
    CHECK_INT(pthread_create(&proxy->thread, NULL, run, proxy), 0);
    return proxy;
}

void proxy_close(struct proxy *proxy) {
    if (!proxy) return;
    (void)pthread_mutex_lock(&proxy->lock);
    proxy->ending = true;
    (void)pthread_mutex_unlock(&proxy->lock);
    (void)pthread_join(proxy->thread, NULL);
    (void)pthread_mutex_destroy(&proxy->lock);
    (void)close(proxy->listener);
    free(proxy);
}

int proxy_port(const struct proxy *proxy) {
    return proxy->port;
}

unsigned proxy_lines(struct proxy *proxy) {
    (void)pthread_mutex_lock(&proxy->lock);
    unsigned opened = proxy->opened;
    (void)pthread_mutex_unlock(&proxy->lock);
    return opened;
}

void proxy_cut(struct proxy *proxy, enum proxy_way way, int64_t after) {
    (void)pthread_mutex_lock(&proxy->lock);
    proxy->left[way] = after;
    (void)pthread_mutex_unlock(&proxy->lock);
}

void proxy_cut_none(struct proxy *proxy) {
    proxy_cut(proxy, PROXY_REQUESTS, -1);
    proxy_cut(proxy, PROXY_REPLIES, -1);
}

void proxy_swallow(struct proxy *proxy, enum proxy_way way, int swallow) {
    (void)pthread_mutex_lock(&proxy->lock);
    proxy->swallow[way] = swallow;
    (void)pthread_mutex_unlock(&proxy->lock);
}

void proxy_delay(struct proxy *proxy, int64_t ms) {
    (void)pthread_mutex_lock(&proxy->lock);
    proxy->delay_ms = ms;
    (void)pthread_mutex_unlock(&proxy->lock);
}
