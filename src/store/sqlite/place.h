/* Where the file of a store is: its folders and the file itself, made for their owner alone. */
#ifndef RV_STORE_SQLITE_PLACE_H
#define RV_STORE_SQLITE_PLACE_H

#include <stdbool.h>

#include "base/error.h"

/* Makes the missing folders of path (0700) and the file (0600), and gives its absolute path, one
 * block. REEVE_EUNREACHABLE if that cannot be done. A network file system, where locks and shared
 * memory do not work, is REEVE_ENOTSUP unless allowed. */
int rv_sq_place_make(const char *path, bool allow_network, char **out, struct rv_error *err);

/* The folder of an absolute path, one block for free(). */
int rv_sq_place_folder(const char *path, char **out, struct rv_error *err);
/* On what it lies: *type as statfs(2) tells it; *network: its name if it is such a one, or NULL. */
int rv_sq_place_file_system(const char *path, unsigned long *type, const char **network,
                            struct rv_error *err);

#endif
