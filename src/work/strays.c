/* _GNU_SOURCE: syscall() for getdents64, pidfd_open() and pidfd_send_signal(). Nothing here may
 * allocate or lock: the guardian, a fork of a program with threads, calls it. */
#define _GNU_SOURCE
#include "work/strays.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/clock.h"
#include "work/guardian.h"

enum {
    READ_SIZE = 8 << 10,
    ENVIRONMENT_MAX = 8 << 20, /* more than the kernel lets a program have */
    PATH_SIZE = 64,
    DYING_MAX = 64,
    PAUSE_MS = 2, /* between two looks, where nothing tells when a process is gone */
};

/* What a look has killed. Its environment is gone before its files are closed and its locks free:
 * that it carries no mark any more does not tell that it is gone. */
struct dying {
    struct pollfd processes[DYING_MAX];
    nfds_t count;
    int64_t until_ms; /* nothing is waited for any longer */
};

/* As the kernel writes it. */
struct entry {
    uint64_t number, offset;
    unsigned short size;
    unsigned char type;
    char name[];
};

/* ---- what a process carries ---- */

/* "/proc/PID/" and name. */
static void make_path(char out[PATH_SIZE], pid_t pid, const char *name) {
    char digits[16];
    size_t count = 0, at = 6;
    memcpy(out, "/proc/", at);
    do {
        digits[count++] = (char)('0' + pid % 10);
    } while ((pid /= 10) > 0);
    while (count > 0)
        out[at++] = digits[--count];
    out[at++] = '/';
    memcpy(out + at, name, strlen(name) + 1);
}

static int open_file(pid_t pid, const char *name) {
    char path[PATH_SIZE];
    make_path(path, pid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* Reads an environment byte by byte: the mark may be anywhere in it, cut by any read. */
struct matcher {
    const char *mark;
    size_t at; /* bytes of the mark that this variable began with */
    enum { IN_MARK, IN_NUMBER, ELSEWHERE } where;
    size_t digits;
    uint64_t number;
};

static void begin_variable(struct matcher *m) {
    m->at = m->digits = 0;
    m->number = 0;
    m->where = IN_MARK;
}

static void take_digit(struct matcher *m, char c) {
    if (c < '0' || c > '9' || m->digits == 19) {
        m->where = ELSEWHERE;
        return;
    }
    m->number = m->number * 10 + (uint64_t)(c - '0');
    m->digits++;
}

/* True at the end of a variable that is the mark and a number. */
static bool take_byte(struct matcher *m, char c) {
    if (c == '\0') {
        if (m->where == IN_NUMBER && m->digits) return true;
        begin_variable(m);
    } else if (m->where == IN_NUMBER) {
        take_digit(m, c);
    } else if (m->where == IN_MARK) {
        m->where = c == m->mark[m->at] ? IN_MARK : ELSEWHERE;
        if (m->where == IN_MARK && !m->mark[++m->at]) m->where = IN_NUMBER;
    }
    return false;
}

static bool find_mark(int fd, const char *mark, uint64_t *run) {
    char data[READ_SIZE];
    struct matcher matcher = {.mark = mark};
    ssize_t size;
    begin_variable(&matcher);
    for (size_t all = 0; all < ENVIRONMENT_MAX; all += (size_t)size) {
        size = read(fd, data, sizeof data);
        if (size <= 0) return false;
        for (ssize_t i = 0; i < size; i++) {
            if (!take_byte(&matcher, data[i])) continue;
            *run = matcher.number;
            return true;
        }
    }
    return false;
}

static bool is_marked(const struct rv_strays *strays, pid_t pid) {
    uint64_t run = 0;
    int fd = open_file(pid, "environ");
    if (fd < 0) return false;
    bool marked = find_mark(fd, strays->mark, &run);
    (void)close(fd);
    return marked && (!strays->is_over || strays->is_over(strays->arg, run));
}

/* The guardian of a worker that was itself run as a program: it ends by itself once it has killed
 * what that worker left, and must not be kept from it. */
static bool is_guardian(pid_t pid) {
    const size_t size = sizeof RV_GUARDIAN_NAME - 1;
    char name[sizeof RV_GUARDIAN_NAME];
    int fd = open_file(pid, "comm");
    if (fd < 0) return false;
    bool is = read(fd, name, sizeof name) == (ssize_t)sizeof name &&
              !memcmp(name, RV_GUARDIAN_NAME, size) && name[size] == '\n';
    (void)close(fd);
    return is;
}

/* ---- one look ---- */

static int left_ms(const struct dying *dying) {
    int64_t left = dying->until_ms - rv_clock_boot_ms(&rv_clock_real);
    return left > 0 ? (int)left : 0;
}

/* How many of them are gone. poll() passes over those from now on. */
static nfds_t let_go(struct dying *dying) {
    nfds_t gone = 0;
    for (nfds_t i = 0; i < dying->count; i++) {
        if (!dying->processes[i].revents) continue;
        (void)close(dying->processes[i].fd);
        dying->processes[i] = (struct pollfd){.fd = -1};
        gone++;
    }
    return gone;
}

static void await_end(struct dying *dying) {
    nfds_t left = dying->count;
    while (left > 0) {
        int ready = poll(dying->processes, dying->count, left_ms(dying));
        if (ready == 0 || (ready < 0 && errno != EINTR)) break;
        if (ready > 0) left -= let_go(dying);
    }
    for (nfds_t i = 0; i < dying->count; i++)
        if (dying->processes[i].fd >= 0) (void)close(dying->processes[i].fd);
    dying->count = 0;
}

static void add_dying(struct dying *dying, int fd) {
    if (dying->count == DYING_MAX) await_end(dying);
    dying->processes[dying->count++] = (struct pollfd){.fd = fd, .events = POLLIN};
}

/* Kernels before 5.3. */
static bool kill_by_number(const struct rv_strays *strays, pid_t pid) {
    bool killed = is_marked(strays, pid) && !is_guardian(pid) && !kill(pid, SIGKILL);
    if (killed) (void)poll(NULL, 0, PAUSE_MS);
    return killed;
}

/* What had the mark may have ended, and its number may be another's: asked again once it is pinned
 * down. */
static bool kill_stray(const struct rv_strays *strays, pid_t pid, struct dying *dying) {
    int fd = (int)syscall(SYS_pidfd_open, pid, 0u);
    if (fd < 0) return errno != ESRCH && kill_by_number(strays, pid);
    bool killed = is_marked(strays, pid) && !is_guardian(pid) &&
                  !syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0u);
    if (killed)
        add_dying(dying, fd);
    else
        (void)close(fd);
    return killed;
}

static pid_t pid_of(const char *name) {
    int64_t pid = 0;
    for (; *name >= '0' && *name <= '9' && pid < INT32_MAX / 10; name++)
        pid = pid * 10 + (*name - '0');
    return *name ? 0 : (pid_t)pid;
}

/* How many were killed, and are gone unless time is over; -1: no process can be seen. */
static int look(const struct rv_strays *strays, struct dying *dying) {
    _Alignas(struct entry) char data[READ_SIZE];
    int killed = 0, folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return -1;
    long size;
    while ((size = syscall(SYS_getdents64, folder, data, sizeof data)) > 0) {
        const struct entry *entry;
        for (long at = 0; at < size; at += entry->size) {
            entry = (const struct entry *)(const void *)(data + at);
            pid_t pid = pid_of(entry->name);
            if (pid > 0 && is_marked(strays, pid) && kill_stray(strays, pid, dying)) killed++;
        }
    }
    (void)close(folder);
    await_end(dying);
    return killed;
}

bool rv_strays_end(const struct rv_strays *strays, int64_t ms) {
    struct dying dying;
    int killed;
    dying.count = 0;
    dying.until_ms = rv_time_add(rv_clock_boot_ms(&rv_clock_real), ms);
    while ((killed = look(strays, &dying)) > 0 && left_ms(&dying) > 0)
        continue;
    return killed <= 0; /* where no process can be seen, looking again is no use */
}
