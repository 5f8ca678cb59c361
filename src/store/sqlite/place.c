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
#include <unistd.h>

#include "base/log.h"

enum { LINKS_MAX = 40 }; /* as in the kernel */

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

static int make_folder(const char *path, struct rv_error *err) {
    if (mkdir(path, 0700) == 0 || errno == EEXIST) return 0;
    return fail(path, "cannot be made", err);
}

/* The folders above path that are missing. path is changed meanwhile. */
static int make_folders_above(char *path, struct rv_error *err) {
    int rc = 0;
    for (char *at = strchr(path + 1, '/'); at && !rc; at = strchr(at + 1, '/')) {
        *at = '\0';
        rc = make_folder(path, err);
        *at = '/';
    }
    return rc;
}

static int join(const char *folder, const char *name, char **out, struct rv_error *err) {
    size_t size = strlen(folder) + strlen(name) + 2;
    *out = malloc(size);
    if (!*out) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    (void)snprintf(*out, size, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, name);
    return 0;
}

/* What a link at path leads to takes the place of path. False: there is none, or it is too long. */
static bool follow_link(char path[PATH_MAX]) {
    char target[PATH_MAX];
    ssize_t size = readlink(path, target, sizeof target - 1);
    if (size < 0) return false;
    target[size] = '\0';
    char *name = *target == '/' ? path : strrchr(path, '/') + 1;
    size_t room = PATH_MAX - (size_t)(name - path);
    if ((size_t)size >= room) return false;
    memcpy(name, target, (size_t)size + 1);
    return true;
}

int rv_sq_place_file(const char *path, char out[PATH_MAX], struct rv_error *err) {
    char at[PATH_MAX];
    struct stat about;
    if (strlen(path) >= sizeof at) return rv_fail(err, REEVE_ETOOBIG, "%s: too long a path", path);
    memcpy(at, path, strlen(path) + 1);
    for (int links = 0; links < LINKS_MAX; links++) {
        if (mknod(at, S_IFREG | 0600, 0) == 0) break;
        if (errno != EEXIST) return fail(at, "cannot be made", err);
        if (!follow_link(at)) break;
    }
    if (!realpath(path, out) || stat(out, &about) != 0) return fail(path, "cannot be found", err);
    if (S_ISREG(about.st_mode)) return 0;
    return rv_fail(err, REEVE_EUNREACHABLE, "%s: not a plain file", path);
}

/* The file of that name in a folder that is there. */
static int make_file(const char *folder, const char *name, bool allow_network, char **out,
                     struct rv_error *err) {
    char absolute[PATH_MAX]; /* so that a change of directory does not matter later */
    char file[PATH_MAX];
    if (!realpath(folder, absolute)) return fail(folder, "cannot be found", err);
    int rc = check_network(absolute, allow_network, err);
    if (!rc) rc = join(absolute, name, out, err);
    if (rc) return rc;
    rc = rv_sq_place_file(*out, file, err);
    if (!rc) return 0;
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

int rv_sq_place_make(const char *path, const struct rv_sq_place_rules *rules, char **out,
                     struct rv_error *err) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    if (!*name) return rv_fail(err, REEVE_EINVAL, "sqlite:%s names no file", path);
    char *folder;
    int rc = rv_sq_place_folder(path, &folder, err);
    if (rc) return rc;
    if (rules->make_folders) rc = make_folders_above(folder, err);
    if (!rc) rc = make_folder(folder, err);
    if (!rc) rc = make_file(folder, name, rules->allow_network, out, err);
    free(folder);
    return rc;
}
