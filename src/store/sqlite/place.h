/* Where the file of a store is: its folders and the file itself, made for their owner alone. */
#ifndef RV_STORE_SQLITE_PLACE_H
#define RV_STORE_SQLITE_PLACE_H

#include <limits.h>
#include <stdbool.h>

#include "base/error.h"

struct rv_sq_place_rules {
    bool make_folders;  /* all that are missing; else only the last, in which the file is */
    bool allow_network; /* also where locks and shared memory do not work */
};

/* Makes the missing folders of path (0700) and the file (0600), and gives its absolute path, one
 * block. REEVE_EUNREACHABLE if that cannot be done; REEVE_ENOTSUP for a network file system that
 * is not allowed. */
int rv_sq_place_make(const char *path, const struct rv_sq_place_rules *rules, char **out,
                     struct rv_error *err);
/* Makes the file (0600) if it is missing, also at the end of links that lead to nothing, and tells
 * where it is without links. path is absolute, and its folder is there. */
int rv_sq_place_file(const char *path, char out[PATH_MAX], struct rv_error *err);

/* The folder of an absolute path, one block for free(). */
int rv_sq_place_folder(const char *path, char **out, struct rv_error *err);
/* On what it lies: *type as statfs(2) tells it; *network: its name if it is such a one, or NULL. */
int rv_sq_place_file_system(const char *path, unsigned long *type, const char **network,
                            struct rv_error *err);

#endif
