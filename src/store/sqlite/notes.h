/* What running jobs tell of themselves, in a table of its own. */
#ifndef RV_STORE_SQLITE_NOTES_H
#define RV_STORE_SQLITE_NOTES_H

#include "base/buf.h"
#include "store/sqlite/step.h"

struct rv_sq_notes {
    int progress; /* REEVE_NONE: never told */
    const char *lines[RV_LOG_LINES_MAX];
    size_t count;
    struct rv_buf text; /* of the lines */
};

/* Those of the job n. 0: the caller releases *out. */
int rv_sq_notes_read(struct rv_sq_step *step, int64_t n, struct rv_sq_notes *out,
                     struct rv_error *err);
void rv_sq_notes_release(struct rv_sq_notes *notes);

#endif
