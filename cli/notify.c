#include "notify.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

void notify(const char *state) {
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t size = path ? strlen(path) : 0;
    if (!size || size >= sizeof address.sun_path || !strchr("/@", path[0])) return;
    memcpy(address.sun_path, path, size);
    if (path[0] == '@') address.sun_path[0] = '\0'; /* the abstract namespace */
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (fd < 0) return;
    socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
    (void)sendto(fd, state, strlen(state), 0, (struct sockaddr *)&address, length);
    (void)close(fd);
}

/* With the time, so that the manager can tell this reload from the one before. */
void notify_reloading(void) {
    struct timespec now;
    char state[64];
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    (void)snprintf(state, sizeof state, "RELOADING=1\nMONOTONIC_USEC=%lld",
                   (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000);
    notify(state);
}

/* The number in an environment variable; 0 if there is none. */
static long long number_in(const char *name) {
    const char *text = getenv(name);
    return text ? strtoll(text, NULL, 10) : 0;
}

int64_t notify_watchdog_ms(void) {
    long long usec = number_in("WATCHDOG_USEC"), pid = number_in("WATCHDOG_PID");
    if (usec <= 0 || (pid && pid != (long long)getpid())) return 0;
    return usec / 2000; /* at half of the period, as systemd advises */
}
