/* A job in hand: what `reeve_task *` points to. It belongs to one thread at a time; only the marks
 * of its hold are set by others. */
#ifndef RV_WORK_TASK_H
#define RV_WORK_TASK_H

#include <reeve.h>

#include "base/buf.h"
#include "base/error.h"
#include "core/outcome.h"
#include "service/claim.h"
#include "service/service.h"

/* The end of a worker, as its handlers see it. */
struct rv_drain {
    atomic_bool begun; /* handlers are told */
    _Atomic int64_t
        grace_until_ms; /* CLOCK_BOOTTIME: programs are ended then; INT64_MAX at first */
};

struct rv_served;

struct reeve_task {
    struct rv_hold hold; /* its part of a lease */
    struct rv_service *service;
    const struct rv_drain *drain; /* of its worker; NULL: its owner has no worker */
    struct rv_served *served;     /* its queue, as its worker sees it; likewise */
    struct reeve_job *job;        /* owned */
    struct rv_list link;          /* in whatever list it waits */
    int64_t started_ms;           /* CLOCK_BOOTTIME */
    int64_t timeout_at_ms;        /* likewise; INT64_MAX: never */
    atomic_bool loss_logged;

    bool has_result;
    struct rv_buf result;
    struct rv_buf error_text; /* code, message, detail: what failure points into */
    struct reeve_failure failure;
    bool failed; /* failure is set */

    enum rv_ending ending; /* 0: nothing to hand in, the lease is lost */
    int64_t ended_at_ms;   /* by the store's clock */
};

struct reeve_task *rv_task_create(struct rv_service *service, const struct rv_drain *drain);
void rv_task_destroy(struct reeve_task *task); /* NULL is fine; no keeper may know it */
/* Makes it the task of job, which it owns from now on, under claim. */
void rv_task_begin(struct reeve_task *task, struct rv_claim *claim, struct reeve_job *job);

enum reeve_stop rv_task_stopping(const struct reeve_task *task);
bool rv_task_in_doubt(const struct reeve_task *task);
enum reeve_stop rv_task_sleep(const struct reeve_task *task, int64_t ms);

/* REEVE_ETOOBIG: over REEVE_BODY_MAX. What was set before stays then. */
int rv_task_set_result(struct reeve_task *task, struct rv_bytes result, struct rv_error *err);
/* A message that is too long is cut; a code or detail that is too long is refused. */
int rv_task_set_error(struct reeve_task *task, const char *code, const char *message,
                      struct rv_bytes detail, struct rv_error *err);

/* Its handler is over: no mark matters from now on. */
void rv_task_end(struct reeve_task *task, enum rv_ending ending);
/* 0 or REEVE_ENOMEM. What the outcome points to is the task's. */
int rv_task_judge(const struct reeve_task *task, struct rv_outcome *out);

void rv_task_log(const struct reeve_task *task, const struct rv_log *log,
                 enum reeve_log_level level, const char *event);
bool rv_task_loss_is_news(struct reeve_task *task); /* true once: whoever gets that logs it */
void rv_log_loss(const struct rv_log *log, const char *queue, const char *id, int attempt,
                 uint64_t token);

#endif
