/* The record of a job as one block. */
#ifndef RV_CORE_JOB_H
#define RV_CORE_JOB_H

#include <reeve.h>

/* A deep copy of job in one block that free() (reeve_free) ends: strings, bytes, error, history and
 * log behind the struct. The parts may be borrowed from anywhere. The attempt under way of a
 * RUNNING job is added to its history if it is not there, so stores keep ended attempts only.
 * Returns NULL when out of memory. */
struct reeve_job *rv_job_pack(const struct reeve_job *job);

#endif
