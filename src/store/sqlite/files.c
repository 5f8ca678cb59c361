/* flock() is not in POSIX, so this file asks for more. */
#define _DEFAULT_SOURCE
#include "store/sqlite/files.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/sqlite/place.h"

enum { NAME_SIZE = PATH_MAX + 8 };

static struct rv_sq_file identify(const char *path) {
    struct stat about;
    if (stat(path, &about) != 0) return (struct rv_sq_file){0};
    return (struct rv_sq_file){about.st_dev, about.st_ino};
}

static bool is_same(struct rv_sq_file a, struct rv_sq_file b) {
    return a.number && a.number == b.number && a.device == b.device;
}

static const char *name_beside(const struct rv_sq_files *files, const char *suffix,
                               char out[NAME_SIZE]) {
    (void)snprintf(out, NAME_SIZE, "%s%s", files->path, suffix);
    return out;
}

static bool is_there(const struct rv_sq_files *files, const char *suffix, struct rv_sq_file file) {
    char name[NAME_SIZE];
    return is_same(identify(name_beside(files, suffix, name)), file);
}

enum rv_sq_files_state rv_sq_files_look(const struct rv_sq_files *files, const char *path) {
    if (!files->database.number) return RV_SQ_FILES_UNMET;
    struct rv_sq_file now = identify(path);
    if (!now.number) return RV_SQ_FILES_GONE;
    return is_same(now, files->database) ? RV_SQ_FILES_STAND : RV_SQ_FILES_REPLACED;
}

int rv_sq_files_meet(struct rv_sq_files *files, const char *path, struct rv_error *err) {
    files->database = files->log = files->index = (struct rv_sq_file){0};
    int rc = rv_sq_place_file(path, files->path, err);
    if (!rc) files->database = identify(files->path);
    return rc;
}

void rv_sq_files_meet_logs(struct rv_sq_files *files) {
    char name[NAME_SIZE];
    files->log = identify(name_beside(files, "-wal", name));
    files->index = identify(name_beside(files, "-shm", name));
}

bool rv_sq_files_leave_logs(const struct rv_sq_files *files) {
    return is_there(files, "-wal", files->log) || is_there(files, "-shm", files->index);
}

static void remove_own(const struct rv_sq_files *files, const char *suffix,
                       struct rv_sq_file file) {
    char name[NAME_SIZE];
    if (is_there(files, suffix, file)) (void)unlink(name_beside(files, suffix, name));
}

/* Processes that notice the same at once take turns, lest one removes what another has made. */
void rv_sq_files_remove_logs(const struct rv_sq_files *files) {
    char *folder;
    if (rv_sq_place_folder(files->path, &folder, NULL)) return;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    if (fd < 0) return;
    if (flock(fd, LOCK_EX) == 0) {
        remove_own(files, "-wal", files->log);
        remove_own(files, "-shm", files->index);
    }
    (void)close(fd);
}
