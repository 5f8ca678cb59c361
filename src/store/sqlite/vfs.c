#include "store/sqlite/vfs.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A frame of the log is a head and a page; the head says in bytes 4 to 7 whether it is the last one
 * of a commit. No page is as small as a head. */
enum {
    HEAD_SIZE = 24,
    HELD_MAX = 31 * (HEAD_SIZE + 4096), /* SQLite would cut what is more than 128 KiB */
    GROWS_FROM = HELD_MAX,              /* a log that stays as short is not worth it */
};

struct log_file {
    sqlite3_file base;
    sqlite3_int64 from;    /* where what is held belongs */
    sqlite3_int64 read_at; /* latest: SQLite mends heads in their place, after it has read them */
    sqlite3_int64 size;    /* of the file, at least */
    int held;              /* bytes in buffer */
    bool commits;          /* the latest head is that of a commit's last frame */
    char *buffer;          /* NULL: not yet, or no memory */
    sqlite3_file *real;    /* behind this struct */
};

static struct log_file *log_of(sqlite3_file *base) {
    return (struct log_file *)base;
}

/* ---- writing ---- */
/* Something is held though no commit is under way: never written, for by now its place may be
 * another's. */
static int settle(struct log_file *file, int result) {
    if (!file->held) return SQLITE_OK;
    file->held = 0;
    return result;
}

static int write_out(struct log_file *file) {
    int size = file->held;
    file->held = 0;
    if (!size) return SQLITE_OK;
    return file->real->pMethods->xWrite(file->real, file->buffer, size, file->from);
}

/* To sync a file that has become longer takes twice as long, for its size has to be written, too:
 * so it grows by many commits at once. Nobody else writes here until this commit is over, and zeros
 * are no frames. If it cannot be done, the next commit makes it longer. */
static void grow(struct log_file *file, sqlite3_int64 end) {
    const sqlite3_io_methods *methods = file->real->pMethods;
    if (end < GROWS_FROM || end < file->size) return;
    if (methods->xFileSize(file->real, &file->size) || end < file->size) return;
    memset(file->buffer, 0, HELD_MAX);
    if (!methods->xWrite(file->real, file->buffer, HELD_MAX, end)) file->size = end + HELD_MAX;
}

static int write_commit(struct log_file *file) {
    sqlite3_int64 end = file->from + file->held;
    int result = write_out(file);
    if (!result) grow(file, end);
    return result;
}

static bool is_commit(const unsigned char *head) {
    return head[4] || head[5] || head[6] || head[7];
}

static bool has_buffer(struct log_file *file) {
    if (!file->buffer) file->buffer = malloc(HELD_MAX);
    return file->buffer;
}

static int log_write(sqlite3_file *base, const void *data, int size, sqlite3_int64 at) {
    struct log_file *file = log_of(base);
    if (file->held && at != file->from + file->held) return settle(file, SQLITE_IOERR_WRITE);
    int result = file->held + size > HELD_MAX ? write_out(file) : SQLITE_OK;
    if (result) return result;
    bool head = size == HEAD_SIZE && at != file->read_at;
    if (!file->held && !(head && has_buffer(file)))
        return file->real->pMethods->xWrite(file->real, data, size, at);
    if (!file->held) file->from = at;
    memcpy(file->buffer + file->held, data, (size_t)size);
    file->held += size;
    if (head) file->commits = is_commit(data);
    return !head && file->commits ? write_commit(file) : SQLITE_OK;
}

/* ---- the rest, as it is ---- */
static int log_close(sqlite3_file *base) {
    struct log_file *file = log_of(base);
    free(file->buffer);
    return file->real->pMethods->xClose(file->real);
}

static int log_read(sqlite3_file *base, void *data, int size, sqlite3_int64 at) {
    struct log_file *file = log_of(base);
    file->read_at = at;
    int result = settle(file, SQLITE_IOERR_READ);
    return result ? result : file->real->pMethods->xRead(file->real, data, size, at);
}

static int log_truncate(sqlite3_file *base, sqlite3_int64 size) {
    struct log_file *file = log_of(base);
    int result = settle(file, SQLITE_IOERR_TRUNCATE);
    return result ? result : file->real->pMethods->xTruncate(file->real, size);
}

static int log_sync(sqlite3_file *base, int flags) {
    struct log_file *file = log_of(base);
    int result = settle(file, SQLITE_IOERR_FSYNC);
    return result ? result : file->real->pMethods->xSync(file->real, flags);
}

static int log_size(sqlite3_file *base, sqlite3_int64 *out) {
    struct log_file *file = log_of(base);
    int result = settle(file, SQLITE_IOERR_FSTAT);
    return result ? result : file->real->pMethods->xFileSize(file->real, out);
}

static int log_lock(sqlite3_file *base, int level) {
    return log_of(base)->real->pMethods->xLock(log_of(base)->real, level);
}

static int log_unlock(sqlite3_file *base, int level) {
    return log_of(base)->real->pMethods->xUnlock(log_of(base)->real, level);
}

static int log_check_lock(sqlite3_file *base, int *out) {
    return log_of(base)->real->pMethods->xCheckReservedLock(log_of(base)->real, out);
}

static int log_control(sqlite3_file *base, int op, void *arg) {
    return log_of(base)->real->pMethods->xFileControl(log_of(base)->real, op, arg);
}

static int log_sector_size(sqlite3_file *base) {
    return log_of(base)->real->pMethods->xSectorSize(log_of(base)->real);
}

static int log_characteristics(sqlite3_file *base) {
    return log_of(base)->real->pMethods->xDeviceCharacteristics(log_of(base)->real);
}

static const sqlite3_io_methods log_methods = {
    .iVersion = 1,
    .xClose = log_close,
    .xRead = log_read,
    .xWrite = log_write,
    .xTruncate = log_truncate,
    .xSync = log_sync,
    .xFileSize = log_size,
    .xLock = log_lock,
    .xUnlock = log_unlock,
    .xCheckReservedLock = log_check_lock,
    .xFileControl = log_control,
    .xSectorSize = log_sector_size,
    .xDeviceCharacteristics = log_characteristics,
};

/* ---- opening ---- */
static int open_log(sqlite3_vfs *real, const char *name, struct log_file *file, int flags,
                    int *flags_out) {
    *file = (struct log_file){.read_at = -1, .real = (sqlite3_file *)(file + 1)};
    int result = real->xOpen(real, name, file->real, flags, flags_out);
    if (!result) file->base.pMethods = &log_methods;
    return result;
}

/* Where a sector may be torn SQLite cuts pages at its end: no such log is held back. */
static bool is_simple(sqlite3_file *file) {
    return file->pMethods->xDeviceCharacteristics(file) & SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int open_file(sqlite3_vfs *base, const char *name, sqlite3_file *file, int flags,
                     int *flags_out) {
    sqlite3_vfs *real = ((struct rv_sq_vfs *)base)->real;
    if (!(flags & SQLITE_OPEN_WAL)) return real->xOpen(real, name, file, flags, flags_out);
    int result = open_log(real, name, (struct log_file *)file, flags, flags_out);
    if (result || is_simple(file)) return result;
    (void)file->pMethods->xClose(file);
    return real->xOpen(real, name, file, flags, flags_out);
}

/* The other methods are taken over as they are, which is right for SQLite's own only: those of
 * others may look at what is behind their struct. */
int rv_sq_vfs_init(struct rv_sq_vfs *vfs) {
    *vfs = (struct rv_sq_vfs){.real = sqlite3_vfs_find(NULL)};
    if (!vfs->real || strcmp(vfs->real->zName, "unix") != 0) return SQLITE_OK;
    (void)snprintf(vfs->name, sizeof vfs->name, "reeve-%p", (void *)vfs);
    vfs->base = *vfs->real;
    vfs->base.zName = vfs->name;
    vfs->base.szOsFile += (int)sizeof(struct log_file);
    vfs->base.xOpen = open_file;
    int result = sqlite3_vfs_register(&vfs->base, 0);
    if (result) vfs->name[0] = '\0';
    return result;
}

void rv_sq_vfs_release(struct rv_sq_vfs *vfs) {
    if (vfs->name[0]) (void)sqlite3_vfs_unregister(&vfs->base);
}
