/* Carrying the log over into the file. */
#ifndef RV_STORE_SQLITE_CHECKPOINT_H
#define RV_STORE_SQLITE_CHECKPOINT_H

#include "store/sqlite/conn.h"

struct rv_sq;

/* After a commit, inside the gate: when the log has grown long. */
void rv_sq_checkpoint(struct rv_sq *store, struct rv_sq_conn *conn);
/* However long it is, and leaves it empty; false if that cannot be done just now. */
bool rv_sq_checkpoint_all(struct rv_sq_conn *conn);

#endif
