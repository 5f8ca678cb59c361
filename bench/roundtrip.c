/* How long a byte takes to another process and back by TCP on this machine, both asleep until it
 * comes. roundtrip COUNT IDLE_MS prints JSON. IDLE_MS: a pause before each, as an idle queue. */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double now_us(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void be_quick(int fd) {
    int one = 1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

static int echo(int listener) {
    char byte;
    int fd = accept(listener, NULL, NULL);
    be_quick(fd);
    while (read(fd, &byte, 1) == 1)
        if (write(fd, &byte, 1) != 1) return 1;
    return 0;
}

/* The end of a connection whose other end is a process that echoes, or -1. */
static int connect_echo(void) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (const struct sockaddr *)&address, size) || listen(listener, 1)) return -1;
    if (getsockname(listener, (struct sockaddr *)&address, &size)) return -1;
    pid_t pid = fork();
    if (pid == 0) {
        (void)close(fd);
        _exit(echo(listener));
    }
    be_quick(fd);
    return pid < 0 || connect(fd, (const struct sockaddr *)&address, size) ? -1 : fd;
}

static int compare(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

int main(int argc, char **argv) {
    long count = argc == 3 ? strtol(argv[1], NULL, 10) : 0, idle_ms = 0;
    char byte = 0;
    if (argc == 3) idle_ms = strtol(argv[2], NULL, 10);
    double *taken = count > 0 ? calloc((size_t)count, sizeof *taken) : NULL;
    int fd = taken ? connect_echo() : -1;
    if (fd < 0) return 2;
    for (long i = 0; i < count; i++) {
        if (idle_ms) (void)nanosleep(&(struct timespec){.tv_nsec = idle_ms * 1000000}, NULL);
        double before = now_us();
        if (write(fd, &byte, 1) != 1 || read(fd, &byte, 1) != 1) return 1;
        taken[i] = now_us() - before;
    }
    qsort(taken, (size_t)count, sizeof *taken, compare);
    (void)printf("{\"p50_us\": %.2f, \"p99_us\": %.2f}\n", taken[count / 2],
                 taken[count * 99 / 100]);
    free(taken);
    return 0;
}
