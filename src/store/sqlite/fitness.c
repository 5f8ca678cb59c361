/* Whether the file, its place and SQLite itself are fit for a store. Asks for X/Open because of
 * S_ISVTX. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store/sqlite/examine.h"
#include "store/sqlite/place.h"

enum {
    SOUND_SQLITE = 3051003,   /* 3.51.3: checkpoints and resets of the log no longer race */
    WAL_DOUBTFUL = 256 << 20, /* bytes; checkpoint.c aims at 8 MiB */
    OTHERS = S_IRWXG | S_IRWXO,
    OTHERS_WRITE = S_IWGRP | S_IWOTH,
};

static int name_beside(const char *path, const char *suffix, char out[PATH_MAX],
                       struct rv_error *err) {
    int size = snprintf(out, PATH_MAX, "%s%s", path, suffix);
    if (size >= 0 && size < PATH_MAX) return 0;
    return rv_fail(err, REEVE_ETOOBIG, "%s: the path is too long", path);
}

/* ---- the file ---- */
int rv_sq_examine_file(struct rv_sq_exam *exam, struct rv_error *err) {
    const char *path = exam->store->path;
    struct stat about;
    if (stat(path, &about) != 0)
        return rv_fail(err, REEVE_EUNREACHABLE, "%s: %s", path, strerror(errno));
    if (about.st_nlink > 1)
        rv_find(&exam->book, REEVE_BAD, "file",
                "%s has %lu names: opened by another one it has another log, and comes to harm",
                path, (unsigned long)about.st_nlink);
    else
        rv_find(&exam->book, REEVE_FINE, "file", "%s", path);
    return 0;
}

/* ---- modes ---- */
/* Takes the bits in unwanted from path if it has some. */
static void examine_mode(struct rv_sq_exam *exam, const char *path, mode_t unwanted, bool *well) {
    struct stat about;
    if (stat(path, &about) != 0) return; /* there need not be a log */
    mode_t mode = about.st_mode & 07777;
    if (S_ISDIR(about.st_mode) && (mode & S_ISVTX)) unwanted = 0; /* only owners replace files */
    if (!(mode & unwanted)) return;
    *well = false;
    bool mended = exam->repair && chmod(path, mode & ~unwanted) == 0;
    const char *failed = exam->repair && !mended ? strerror(errno) : "";
    rv_find(&exam->book, mended ? REEVE_REPAIRED : REEVE_BAD, "mode",
            "%s had mode %04o: not its owner's alone%s%s", path, (unsigned)mode,
            *failed ? ": cannot be changed: " : "", failed);
}

static int examine_beside(struct rv_sq_exam *exam, const char *suffix, bool *well,
                          struct rv_error *err) {
    char path[PATH_MAX];
    int rc = name_beside(exam->store->path, suffix, path, err);
    if (!rc) examine_mode(exam, path, OTHERS, well);
    return rc;
}

static int examine_folder(struct rv_sq_exam *exam, bool *well, struct rv_error *err) {
    char *folder;
    int rc = rv_sq_place_folder(exam->store->path, &folder, err);
    if (rc) return rc;
    examine_mode(exam, folder, OTHERS_WRITE, well);
    free(folder);
    return 0;
}

int rv_sq_examine_modes(struct rv_sq_exam *exam, struct rv_error *err) {
    bool well = true;
    int rc = examine_beside(exam, "", &well, err);
    if (!rc) rc = examine_beside(exam, "-wal", &well, err);
    if (!rc) rc = examine_beside(exam, "-shm", &well, err);
    if (!rc) rc = examine_folder(exam, &well, err);
    if (!rc && well) rv_find(&exam->book, REEVE_FINE, "mode", "the file is its owner's alone");
    return rc;
}

/* ---- around it ---- */
int rv_sq_examine_file_system(struct rv_sq_exam *exam, struct rv_error *err) {
    const char *network;
    unsigned long type;
    int rc = rv_sq_place_file_system(exam->store->path, &type, &network, err);
    if (rc) return rc;
    if (network)
        rv_find(&exam->book, REEVE_BAD, "file_system",
                "%s, a network file system, does not keep SQLite's promises", network);
    else
        rv_find(&exam->book, REEVE_FINE, "file_system", "a local one (type 0x%lx)", type);
    return 0;
}

int rv_sq_examine_library(struct rv_sq_exam *exam, struct rv_error *err) {
    (void)err;
    bool sound = sqlite3_libversion_number() >= SOUND_SQLITE;
    rv_find(&exam->book, REEVE_FINE, "library", "SQLite %s%s", sqlite3_libversion(),
            sound ? ""
                  : ": before 3.51.3 a checkpoint and a reset of the log can meet and do harm; "
                    "reeve keeps them apart, so let nothing else write to the file");
    return 0;
}

int rv_sq_examine_durability(struct rv_sq_exam *exam, struct rv_error *err) {
    (void)err;
    const char *level = exam->store->pool.synchronous;
    bool full = strcmp(level, "full") == 0, off = strcmp(level, "off") == 0;
    const char *rest = "and a power cut: yes";
    if (!full) rest = "a power cut: no, the latest may be lost";
    if (off) rest = "a power cut: no, and the file may be damaged";
    rv_find(&exam->book, off ? REEVE_DOUBTFUL : REEVE_FINE, "durability",
            "synchronous=%s: an acknowledged push survives the end of its process: yes; %s", level,
            rest);
    return 0;
}

int rv_sq_examine_wal(struct rv_sq_exam *exam, struct rv_error *err) {
    char path[PATH_MAX];
    struct stat about;
    int rc = name_beside(exam->store->path, "-wal", path, err);
    if (rc) return rc;
    int64_t size = stat(path, &about) == 0 ? (int64_t)about.st_size : 0;
    bool large = size > WAL_DOUBTFUL;
    rv_find(&exam->book, large ? REEVE_DOUBTFUL : REEVE_FINE, "wal", "%lld KiB%s",
            (long long)(size >> 10),
            large ? ": a reader keeps it from being carried over into the file" : "");
    return 0;
}
