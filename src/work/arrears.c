#include "work/arrears.h"

#include <inttypes.h>

#include "core/outcome.h"

/* The store knows by itself how often a part that does not answer is worth asking: it costs little
 * to ask for it. */
enum { BACKOFF_MS_MIN = 50, BACKOFF_MS_MAX = 1000 };

void rv_arrears_init(struct rv_arrears *arrears) {
    *arrears = (struct rv_arrears){0};
    rv_list_init(&arrears->tasks);
}

void rv_arrears_release(struct rv_arrears *arrears) {
    rv_request_release(&arrears->request);
}

bool rv_arrears_open(const struct rv_arrears *arrears) {
    return arrears->request.exchange.outcome_count || arrears->request.exchange.want;
}

bool rv_arrears_any(const struct rv_arrears *arrears) {
    return !rv_list_empty(&arrears->tasks) || rv_arrears_open(arrears);
}

void rv_arrears_add(struct rv_arrears *arrears, struct reeve_task *task) {
    rv_list_add_tail(&arrears->tasks, &task->link);
}

struct reeve_task *rv_arrears_take(struct rv_arrears *arrears) {
    struct rv_list *link = rv_list_pop(&arrears->tasks);
    return link ? rv_container_of(link, struct reeve_task, link) : NULL;
}

/* The room of the one goes to the other. */
void rv_arrears_keep(struct rv_arrears *arrears, struct rv_request *request) {
    struct rv_request empty = arrears->request;
    arrears->request = *request;
    *request = empty;
}

static void put_off(struct rv_arrears *arrears, int64_t now_ms) {
    arrears->failures++;
    int64_t ms =
        rv_backoff_ms(REEVE_EXPONENTIAL, BACKOFF_MS_MIN, BACKOFF_MS_MAX, arrears->failures);
    arrears->again_at_ms = rv_time_add(now_ms, 1 + rv_jitter_ms(ms, &rv_random_system));
}

void rv_arrears_note(struct rv_arrears *arrears, const struct rv_service *service,
                     const char *queue) {
    bool any = rv_arrears_any(arrears);
    if (!any && !arrears->since_ms) return;
    int64_t now_ms = rv_clock_boot_ms(&service->clock);
    if (any && !arrears->since_ms) {
        rv_log(&service->log, REEVE_LOG_WARN, "store.partly_away", "queue=%s", queue);
        arrears->since_ms = now_ms;
    }
    if (any && now_ms >= arrears->again_at_ms) put_off(arrears, now_ms);
    if (any) return;
    rv_log(&service->log, REEVE_LOG_WARN, "store.partly_back", "queue=%s away_ms=%" PRId64, queue,
           now_ms - arrears->since_ms);
    arrears->since_ms = arrears->again_at_ms = 0;
    arrears->failures = 0;
}
