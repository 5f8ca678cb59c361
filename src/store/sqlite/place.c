/* mknod() for a plain file is not in POSIX, so this file asks for X/Open. It creates without
 * opening: to open and close the file by ourselves would drop the locks of a store that is open on
 * it. */
#define _XOPEN_SOURCE 700
#include "store/sqlite/place.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/log.h"

/* Types of statfs(2). FUSE is not among them: it may be local; rootless containers run on it. */
static const struct {
    unsigned long type;
    const char *name;
} network_types[] = {
    {0x6969, "NFS"},      {0xff534d42, "CIFS"},  {0xfe534d42, "SMB"},    {0x517b, "SMB"},
    {0x01021997, "9p"},   {0x5346414f, "AFS"},   {0x6b414653, "AFS"},    {0x00c36400, "Ceph"},
    {0x73757245, "Coda"}, {0x564c, "NCP"},       {0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"},
    {0x01161970, "GFS2"}, {0x7461636f, "OCFS2"}, {0x786f4256, "vboxsf"},
};

static int fail(const char *path, const char *what, struct rv_error *err) {
    return rv_fail(err, REEVE_EUNREACHABLE, "%s: %s: %s", path, what, strerror(errno));
}

int rv_sq_place_file_system(const char *path, unsigned long *type, const char **network,
                            struct rv_error *err) {
    struct statfs about;
    if (statfs(path, &about) != 0) return fail(path, "cannot be examined", err);
    *type = (unsigned long)about.f_type & 0xffffffffUL;
    *network = NULL;
    for (size_t i = 0; i < sizeof network_types / sizeof *network_types; i++)
        if (*type == network_types[i].type) *network = network_types[i].name;
    return 0;
}

static int check_network(const char *folder, bool allowed, struct rv_error *err) {
    unsigned long type;
    const char *network;
    int rc = rv_sq_place_file_system(folder, &type, &network, err);
    if (rc || !network || allowed) return rc;
    return rv_fail(err, REEVE_ENOTSUP,
                   "%s: a network file system (%s) does not keep SQLite's promises; "
                   "network=allow in the url insists",
                   folder, network);
}

/* Makes path and the folders above it that are missing. path is changed meanwhile. */
static int make_folders(char *path, struct rv_error *err) {
    for (char *at = path + 1;; at++) {
        char letter = *at;
        if (letter != '/' && letter != '\0') continue;
        *at = '\0';
        int made = mkdir(path, 0700);
        if (made != 0 && errno != EEXIST) return fail(path, "cannot be made", err);
        *at = letter;
        if (letter == '\0') return 0;
    }
}

static int join(const char *folder, const char *name, char **out, struct rv_error *err) {
    size_t size = strlen(folder) + strlen(name) + 2;
    *out = malloc(size);
    if (!*out) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    (void)snprintf(*out, size, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, name);
    return 0;
}

/* The file of that name in a folder that is there. */
static int make_file(const char *folder, const char *name, bool allow_network, char **out,
                     struct rv_error *err) {
    char absolute[PATH_MAX]; /* so that a change of directory does not matter later */
    if (!realpath(folder, absolute)) return fail(folder, "cannot be found", err);
    int rc = check_network(absolute, allow_network, err);
    if (!rc) rc = join(absolute, name, out, err);
    if (rc) return rc;
    if (mknod(*out, S_IFREG | 0600, 0) == 0 || errno == EEXIST) return 0;
    rc = fail(*out, "cannot be made", err);
    free(*out);
    *out = NULL;
    return rc;
}

int rv_sq_place_folder(const char *path, char **out, struct rv_error *err) {
    const char *slash = strrchr(path, '/');
    size_t size = slash ? (size_t)(slash - path) : 0;
    if (slash && size == 0) size = 1; /* the root */
    *out = calloc(1, size + 2);
    if (!*out) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    memcpy(*out, size ? path : ".", size ? size : 1);
    return 0;
}

int rv_sq_place_make(const char *path, bool allow_network, char **out, struct rv_error *err) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    if (!*name) return rv_fail(err, REEVE_EINVAL, "sqlite:%s names no file", path);
    char *folder;
    int rc = rv_sq_place_folder(path, &folder, err);
    if (rc) return rc;
    rc = make_folders(folder, err);
    if (!rc) rc = make_file(folder, name, allow_network, out, err);
    free(folder);
    return rc;
}
