/* Which files a path leads to: the database, its log and the log's index, told apart from others
 * that take their names. Whoever removes or replaces a database that is in use leaves those who
 * use it with a file that nobody will find again (S7). */
#ifndef RV_STORE_SQLITE_FILES_H
#define RV_STORE_SQLITE_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct rv_sq_file {
    dev_t device;
    ino_t number; /* 0: not known */
};

struct rv_sq_files {
    char path[PATH_MAX]; /* of the database, without links */
    struct rv_sq_file database, log, index;
};

enum rv_sq_files_state {
    RV_SQ_FILES_UNMET,
    RV_SQ_FILES_STAND,    /* path leads to the database that was met */
    RV_SQ_FILES_REPLACED, /* to another */
    RV_SQ_FILES_GONE,     /* to nothing */
};
enum rv_sq_files_state rv_sq_files_look(const struct rv_sq_files *files, const char *path);

/* Meets the database that path leads to, made if there is none. Nobody has it open yet. */
int rv_sq_files_meet(struct rv_sq_files *files, const char *path, struct rv_error *err);
/* To be called while a connection has its log and index open. */
void rv_sq_files_meet_logs(struct rv_sq_files *files);

/* Whether a database that takes the place of this one would be given this one's log. */
bool rv_sq_files_leave_logs(const struct rv_sq_files *files);
/* Removes the log and the index if they are still those that were met. They are open yet. */
void rv_sq_files_remove_logs(const struct rv_sq_files *files);

#endif
