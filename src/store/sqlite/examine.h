/* The doctor: checks that each tell what they found, and mend it if they are to. */
#ifndef RV_STORE_SQLITE_EXAMINE_H
#define RV_STORE_SQLITE_EXAMINE_H

#include "store/findings.h"
#include "store/sqlite/step.h"

struct rv_sq_exam {
    struct rv_sq *store;
    bool repair;
    struct rv_findings_book book;
};

/* Each adds one finding, or more. An error is the reason why it could not. */
typedef int rv_sq_check_fn(struct rv_sq_exam *exam, struct rv_error *err);
rv_sq_check_fn rv_sq_examine_schema, rv_sq_examine_integrity;                      /* examine.c */
rv_sq_check_fn rv_sq_examine_orphans;                                              /* orphans.c */
rv_sq_check_fn rv_sq_examine_counters;                                             /* recount.c */
rv_sq_check_fn rv_sq_examine_streams;                                              /* census.c */
rv_sq_check_fn rv_sq_examine_file, rv_sq_examine_modes, rv_sq_examine_file_system; /* fitness.c */
rv_sq_check_fn rv_sq_examine_library, rv_sq_examine_durability, rv_sq_examine_wal; /* fitness.c */

#endif
