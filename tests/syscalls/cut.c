/* To be preloaded: ends the process with SIGKILL at the CUT_AT-th call that changes a file, before
 * it, after it or, for a write, in its middle (CUT_HOW: before, half, after). Or lets that call
 * fail with errno CUT_ERROR, and with CUT_ENDLESS all after it; reads count then as well. CUT_COUNT
 * names a file to which the number of calls is appended at the end of a process that lives. For any
 * program, without ptrace. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Atomic long calls;

static int number_of(const char *name) {
    const char *value = getenv(name);
    return value ? atoi(value) : 0;
}

/* The end of the process, or of the call: -1 with errno. */
static int give_up(void) {
    errno = number_of("CUT_ERROR");
    if (errno) return -1;
    (void)kill(getpid(), SIGKILL);
    return pause();
}

/* Is this the call? */
static bool is_cut(void) {
    const char *at = getenv("CUT_AT");
    long now = atomic_fetch_add(&calls, 1) + 1;
    if (!at) return false;
    return getenv("CUT_ENDLESS") ? now >= atol(at) : now == atol(at);
}

static bool is_how(const char *how) {
    const char *wanted = getenv("CUT_HOW");
    return wanted && strcmp(wanted, how) == 0;
}

/* *function becomes the one that ours hides: ISO C knows no way from dlsym() to a function. */
static void find_real(const char *name, void *function) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    memcpy(function, &found, sizeof found);
}

typedef ssize_t read_fn(int fd, void *data, size_t size, off64_t at);
typedef ssize_t write_fn(int fd, const void *data, size_t size, off64_t at);
typedef int fd_fn(int fd);
typedef int size_fn(int fd, off64_t size);
typedef int path_fn(const char *path);

static ssize_t cut_write(const char *name, int fd, const void *data, size_t size, off64_t at) {
    write_fn *real;
    find_real(name, &real);
    if (!is_cut()) return real(fd, data, size, at);
    if (is_how("half")) (void)real(fd, data, size / 2, at);
    if (is_how("after")) (void)real(fd, data, size, at);
    return give_up();
}

ssize_t pread64(int fd, void *data, size_t size, off64_t at) {
    read_fn *real;
    find_real("pread64", &real);
    return number_of("CUT_ERROR") && is_cut() ? give_up() : real(fd, data, size, at);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    return cut_write("pwrite64", fd, data, size, at);
}

static int cut_fd(const char *name, int fd) {
    fd_fn *real;
    find_real(name, &real);
    if (!is_cut()) return real(fd);
    if (is_how("after")) (void)real(fd);
    return give_up();
}

int fdatasync(int fd) {
    return cut_fd("fdatasync", fd);
}

int fsync(int fd) {
    return cut_fd("fsync", fd);
}

static int cut_size(const char *name, int fd, off64_t size) {
    size_fn *real;
    find_real(name, &real);
    if (!is_cut()) return real(fd, size);
    if (is_how("after")) (void)real(fd, size);
    return give_up();
}

int ftruncate64(int fd, off64_t size) {
    return cut_size("ftruncate64", fd, size);
}

int unlink(const char *path) {
    path_fn *real;
    find_real("unlink", &real);
    if (!is_cut()) return real(path);
    if (is_how("after")) (void)real(path);
    return give_up();
}

static void __attribute__((destructor)) tell_count(void) {
    const char *path = getenv("CUT_COUNT");
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (fd >= 0) {
        (void)dprintf(fd, "%ld\n", atomic_load(&calls));
        (void)close(fd);
    }
}
