/* nftw() is XSI, beyond the POSIX base that the rest is built with. */
#define _XOPEN_SOURCE 700
#include "harness/scratch.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPEN_FOLDERS_MAX = 16 };

char *scratch_path(const char *path, const char *name) {
    size_t size = strlen(path) + strlen(name) + 2;
    char *joined = malloc(size);
    if (joined) (void)snprintf(joined, size, "%s/%s", path, name);
    return joined;
}

char *scratch_create(void) {
    const char *parent = getenv("TMPDIR");
    char *path = scratch_path(parent && *parent ? parent : "/tmp", "reeve-test-XXXXXX");
    if (path && !mkdtemp(path)) {
        free(path);
        path = NULL;
    }
    return path;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *where) {
    (void)status, (void)type, (void)where;
    return remove(path);
}

void scratch_destroy(char *path) {
    if (path) (void)nftw(path, remove_entry, OPEN_FOLDERS_MAX, FTW_DEPTH | FTW_PHYS);
    free(path);
}
