#include "redis/fake.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/check.h"

enum { ANSWERS_MAX = 64, LINES_MAX = 16, LOOK_MS = 20 };

struct answer {
    char *data;
    size_t size;
    enum fake_then then;
};

struct fake {
    int listener, port;
    pthread_t thread;
    pthread_mutex_t lock; /* guards all below but the lines, which are the thread's */
    bool ending;
    struct answer answers[ANSWERS_MAX];
    size_t answer_count, next;
    unsigned asked;
    int lines[LINES_MAX];
    size_t count;
};

/* Greetings hold no more than a name and a PING: see hello.c. */
static bool is_greeting(const char *piece, size_t size) {
    static const char ping[] = "PING\r\n";
    return size >= sizeof ping - 1 &&
           memcmp(piece + size - (sizeof ping - 1), ping, sizeof ping - 1) == 0;
}

static struct answer next_answer(struct fake *fake) {
    static const char nothing[] = "-ERR nothing more to say\r\n";
    struct answer answer = {(char *)nothing, sizeof nothing - 1, FAKE_STAY};
    (void)pthread_mutex_lock(&fake->lock);
    fake->asked++;
    if (fake->next < fake->answer_count) answer = fake->answers[fake->next++];
    (void)pthread_mutex_unlock(&fake->lock);
    return answer;
}

/* False when the line is over. */
static bool serve_line(struct fake *fake, int line) {
    static const char welcome[] = "+OK\r\n+PONG\r\n";
    char piece[4096];
    ssize_t size = recv(line, piece, sizeof piece, 0);
    if (size <= 0) return false;
    struct answer answer = {(char *)welcome, sizeof welcome - 1, FAKE_STAY};
    if (!is_greeting(piece, (size_t)size)) answer = next_answer(fake);
    (void)send(line, answer.data, answer.size, MSG_NOSIGNAL);
    return answer.then == FAKE_STAY;
}

static void serve(struct fake *fake) {
    struct pollfd fds[1 + LINES_MAX] = {{.fd = fake->listener, .events = POLLIN}};
    for (size_t i = 0; i < fake->count; i++)
        fds[1 + i] = (struct pollfd){.fd = fake->lines[i], .events = POLLIN};
    if (poll(fds, 1 + fake->count, LOOK_MS) <= 0) return;
    for (size_t i = fake->count; i-- > 0;) {
        if (!fds[1 + i].revents || serve_line(fake, fake->lines[i])) continue;
        (void)close(fake->lines[i]);
        fake->lines[i] = fake->lines[--fake->count];
    }
    if (!fds[0].revents) return;
    int line = accept(fake->listener, NULL, NULL);
    if (line >= 0 && fake->count < LINES_MAX)
        fake->lines[fake->count++] = line;
    else if (line >= 0)
        (void)close(line);
}

static void *run(void *arg) {
    struct fake *fake = arg;
    for (bool ending = false; !ending;) {
        serve(fake);
        (void)pthread_mutex_lock(&fake->lock);
        ending = fake->ending;
        (void)pthread_mutex_unlock(&fake->lock);
    }
    while (fake->count)
        (void)close(fake->lines[--fake->count]);
    return NULL;
}

struct fake *fake_open(void) {
    struct fake *fake = calloc(1, sizeof *fake);
    CHECK(fake != NULL);
    struct sockaddr_in address = {.sin_family = AF_INET};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    fake->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_INT(bind(fake->listener, (struct sockaddr *)&address, sizeof address), 0);
    CHECK_INT(listen(fake->listener, LINES_MAX), 0);
    CHECK_INT(getsockname(fake->listener, (struct sockaddr *)&address, &size), 0);
    fake->port = ntohs(address.sin_port);
    CHECK_INT(pthread_mutex_init(&fake->lock, NULL), 0);
    CHECK_INT(pthread_create(&fake->thread, NULL, run, fake), 0);
    return fake;
}

void fake_close(struct fake *fake) {
    if (!fake) return;
    (void)pthread_mutex_lock(&fake->lock);
    fake->ending = true;
    (void)pthread_mutex_unlock(&fake->lock);
    (void)pthread_join(fake->thread, NULL);
    (void)pthread_mutex_destroy(&fake->lock);
    (void)close(fake->listener);
    for (size_t i = 0; i < fake->answer_count; i++)
        free(fake->answers[i].data);
    free(fake);
}

int fake_port(const struct fake *fake) {
    return fake->port;
}

void fake_answer(struct fake *fake, const void *data, size_t size, enum fake_then then) {
    struct answer answer = {malloc(size ? size : 1), size, then};
    CHECK(answer.data != NULL);
    if (size) memcpy(answer.data, data, size);
    (void)pthread_mutex_lock(&fake->lock);
    CHECK(fake->answer_count < ANSWERS_MAX);
    fake->answers[fake->answer_count++] = answer;
    (void)pthread_mutex_unlock(&fake->lock);
}

unsigned fake_asked(struct fake *fake) {
    (void)pthread_mutex_lock(&fake->lock);
    unsigned asked = fake->asked;
    (void)pthread_mutex_unlock(&fake->lock);
    return asked;
}
