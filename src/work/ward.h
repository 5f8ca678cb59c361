/* A program that runs beside us, for as long as we let it: with our stdin, stdout, stderr and
 * environment, in a process group of its own, and gone with us however we die. A thread of its own
 * starts it, sits with it and ends it. */
#ifndef RV_WORK_WARD_H
#define RV_WORK_WARD_H

#include "work/wards.h"

/* options is checked. REEVE_ENOENT: there is no such program, or it cannot be run. */
int rv_ward_start(struct reeve_program **out, struct rv_wards *wards,
                  const struct reeve_program_options *options, struct rv_error *err);
void rv_ward_stop(struct reeve_program *p, int64_t grace_ms);
int rv_ward_wait(struct reeve_program *p, int64_t timeout_ms, int *status, struct rv_error *err);
void rv_ward_close(struct reeve_program *p); /* NULL is fine */

#endif
