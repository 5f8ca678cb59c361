/* Linked with --wrap for malloc and its kin, so that only calls from objects of the program itself
 * come here; SQLite is a library of its own and is given its allocator. */
#include "nomem/alloc.h"

#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static _Atomic long left; /* requests until one fails; 0: none does */
static _Atomic bool endless;
static _Atomic long failed;

void alloc_fail(long nth, bool for_ever) {
    atomic_store(&failed, 0);
    atomic_store(&endless, for_ever);
    atomic_store(&left, nth);
}

long alloc_relent(void) {
    atomic_store(&left, 0);
    return atomic_load(&failed);
}

static bool fails(void) {
    long now = atomic_load(&left);
    while (now > 0) {
        long next = now == 1 && atomic_load(&endless) ? 1 : now - 1;
        if (!atomic_compare_exchange_weak(&left, &now, next)) continue;
        if (now > 1) return false;
        atomic_fetch_add(&failed, 1);
        return true;
    }
    return false;
}

/* ---- the program's ---- */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
char *__real_strdup(const char *text);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *arg);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
char *__wrap_strdup(const char *text);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *arg);

void *__wrap_malloc(size_t size) {
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size) {
    return fails() ? NULL : __real_realloc(block, size);
}

char *__wrap_strdup(const char *text) {
    return fails() ? NULL : __real_strdup(text);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *arg) {
    return fails() ? EAGAIN : __real_pthread_create(thread, attr, run, arg);
}

/* ---- SQLite's ---- */
static sqlite3_mem_methods real;

static void *sqlite_malloc(int size) {
    return fails() ? NULL : real.xMalloc(size);
}

static void *sqlite_realloc(void *block, int size) {
    return fails() ? NULL : real.xRealloc(block, size);
}

void alloc_prepare(void) {
    (void)sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real);
    sqlite3_mem_methods failing = real;
    failing.xMalloc = sqlite_malloc;
    failing.xRealloc = sqlite_realloc;
    /* Without a store of small blocks per connection every request is seen. */
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &failing) ||
        sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0))
        abort();
}
