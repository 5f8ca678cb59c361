#include "work/served.h"

enum {
    LOOK_MS = 10000, /* the bell is only a hint: so often the exchanger looks for itself */
    HANDED_BACK_MS_MIN = 250,
    HANDED_BACK_MS_MAX = 1000,
    BACKOFF_MS_MIN = 50,
};

int rv_served_init(struct rv_served *served, const char *queue) {
    *served = (struct rv_served){.queue = queue, .hungry = true};
    served->lane = rv_random_nonzero(&rv_random_system);
    rv_list_init(&served->finished);
    rv_arrears_init(&served->arrears);
    return pthread_mutex_init(&served->lock, NULL) ? REEVE_ENOMEM : 0;
}

void rv_served_release(struct rv_served *served) {
    rv_request_release(&served->request);
    rv_arrears_release(&served->arrears);
    (void)pthread_mutex_destroy(&served->lock);
}

void rv_served_add(struct rv_served *served, struct reeve_task *task) {
    (void)pthread_mutex_lock(&served->lock);
    rv_list_add_tail(&served->finished, &task->link);
    (void)pthread_mutex_unlock(&served->lock);
}

void rv_served_put_back(struct rv_served *served, struct reeve_task *task) {
    (void)pthread_mutex_lock(&served->lock);
    rv_list_add_head(&served->finished, &task->link);
    (void)pthread_mutex_unlock(&served->lock);
}

struct reeve_task *rv_served_take(struct rv_served *served) {
    (void)pthread_mutex_lock(&served->lock);
    struct rv_list *link = rv_list_pop(&served->finished);
    (void)pthread_mutex_unlock(&served->lock);
    return link ? rv_container_of(link, struct reeve_task, link) : NULL;
}

size_t rv_served_count(struct rv_served *served, size_t max) {
    size_t count = 0;
    (void)pthread_mutex_lock(&served->lock);
    struct rv_list *at = served->finished.next;
    for (; at != &served->finished && count < max; at = at->next)
        count++;
    (void)pthread_mutex_unlock(&served->lock);
    return count;
}

size_t rv_served_batch(struct rv_served *served, size_t max) {
    const struct rv_claim *claim = NULL;
    size_t count = 0, run = 0; /* run: the last so many are of that claim */
    (void)pthread_mutex_lock(&served->lock);
    struct rv_list *at = served->finished.next;
    for (; at != &served->finished && count < max; at = at->next, count++) {
        const struct reeve_task *task = rv_container_of(at, struct reeve_task, link);
        run = task->hold.claim == claim ? run + 1 : 1;
        claim = task->hold.claim;
    }
    if (run < count && run < claim->left) count -= run;
    (void)pthread_mutex_unlock(&served->lock);
    return count;
}

bool rv_served_set_aside(struct rv_served *served) {
    if (rv_arrears_open(&served->arrears)) return false;
    rv_arrears_keep(&served->arrears, &served->request);
    served->lane = rv_random_nonzero(&rv_random_system);
    return true;
}

bool rv_served_is_held_up(const struct rv_served *served) {
    return served->failures && rv_arrears_open(&served->arrears);
}

bool rv_served_recall(struct rv_served *served) {
    struct reeve_task *task;
    bool any = false;
    for (; (task = rv_arrears_take(&served->arrears)) != NULL; any = true)
        rv_served_add(served, task);
    return any;
}

void rv_served_reclaim(struct rv_served *served) {
    struct rv_request *rest = &served->arrears.request;
    (void)rv_served_recall(served);
    for (size_t i = 0; i < rest->exchange.outcome_count; i++)
        rv_served_add(served, rest->tasks[i]);
    rv_request_clear(rest);
    rest->exchange.want = 0;
}

void rv_served_hurry(struct rv_served *served) {
    served->retry_at_ms = 0;
    served->arrears.again_at_ms = 0;
}

void rv_served_answered(struct rv_served *served) {
    served->failures = 0;
    served->retry_at_ms = 0;
}

void rv_served_failed(struct rv_served *served, int64_t now_ms, int64_t backoff_ms_max) {
    served->failures++;
    int64_t ms = rv_backoff_ms(REEVE_EXPONENTIAL, BACKOFF_MS_MIN, backoff_ms_max, served->failures);
    served->retry_at_ms = rv_time_add(now_ms, 1 + rv_jitter_ms(ms, &rv_random_system));
}

void rv_served_note_ending(struct rv_served *served, enum rv_ending ending, int64_t now_ms) {
    if (ending != RV_HANDED_BACK) {
        served->handed_back_ms = 0;
        return;
    }
    if (now_ms < served->claim_at_ms) return; /* of the same claim */
    int64_t ms = 2 * served->handed_back_ms;
    if (ms < HANDED_BACK_MS_MIN) ms = HANDED_BACK_MS_MIN;
    served->handed_back_ms = ms < HANDED_BACK_MS_MAX ? ms : HANDED_BACK_MS_MAX;
    served->claim_at_ms = rv_time_add(now_ms, served->handed_back_ms);
}

void rv_served_heard(struct rv_served *served) {
    served->hungry = true;
    served->listening = false;
}

bool rv_served_is_empty(const struct rv_served *served, struct rv_store *store) {
    struct reeve_queue stats;
    int rc = rv_store_stats(store, served->queue, &stats, NULL);
    if (rc) return rc == REEVE_ENOENT;
    return !stats.ready && !stats.delayed && !stats.running;
}

void rv_served_note_claim(struct rv_served *served, const struct rv_exchanged *exchanged,
                          int64_t now_ms) {
    int64_t look_ms = LOOK_MS;
    served->hungry = !exchanged->paused && (exchanged->more || exchanged->replayed);
    bool due = !exchanged->paused && exchanged->due_in_ms >= 0; /* no bell tells of it in time */
    if (due && exchanged->due_in_ms < look_ms) look_ms = exchanged->due_in_ms;
    served->look_at_ms = rv_time_add(now_ms, look_ms + 1);
}
