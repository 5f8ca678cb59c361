/* Folders for the files of one test. */
#ifndef HARNESS_SCRATCH_H
#define HARNESS_SCRATCH_H

#include <stddef.h>

/* Makes an empty folder below $TMPDIR (/tmp). Returns its path as one block, or NULL. */
char *scratch_create(void);
/* Removes it with all that is in it, and frees the path. NULL is fine. */
void scratch_destroy(char *path);
/* path/name as one block, or NULL. */
char *scratch_path(const char *path, const char *name);

#endif
