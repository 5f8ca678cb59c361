#include "work/tally.h"

void rv_tally_init(struct rv_tally *tally, int64_t now_ms) {
    atomic_init(&tally->claimed, 0);
    atomic_init(&tally->succeeded, 0);
    atomic_init(&tally->failed, 0);
    atomic_init(&tally->handed_back, 0);
    atomic_init(&tally->cancelled, 0);
    atomic_init(&tally->lost, 0);
    atomic_init(&tally->answered_ms, now_ms);
}

void rv_tally_claimed(struct rv_tally *tally, uint64_t count) {
    atomic_fetch_add(&tally->claimed, count);
}

void rv_tally_ended(struct rv_tally *tally, enum rv_ending ending) {
    _Atomic uint64_t *figure = &tally->lost;
    switch (ending) {
    case RV_SUCCEEDED:
        figure = &tally->succeeded;
        break;
    case RV_FAILED_ATTEMPT:
    case RV_GIVEN_UP:
        figure = &tally->failed;
        break;
    case RV_HANDED_BACK:
        figure = &tally->handed_back;
        break;
    case RV_STOPPED:
        figure = &tally->cancelled;
        break;
    case RV_LAPSED:
    default:
        break;
    }
    atomic_fetch_add(figure, 1);
}

void rv_tally_answered(struct rv_tally *tally, int64_t now_ms) {
    atomic_store(&tally->answered_ms, now_ms);
}

int64_t rv_tally_since_ms(const struct rv_tally *tally, int64_t now_ms) {
    int64_t since_ms = now_ms - atomic_load(&tally->answered_ms);
    return since_ms > 0 ? since_ms : 0;
}

/* What was claimed is read last: it is never less than what came of it. */
void rv_tally_read(const struct rv_tally *tally, int64_t now_ms, struct reeve_worker_stats *out) {
    *out = (struct reeve_worker_stats){
        .size = sizeof *out,
        .succeeded = atomic_load(&tally->succeeded),
        .failed = atomic_load(&tally->failed),
        .handed_back = atomic_load(&tally->handed_back),
        .cancelled = atomic_load(&tally->cancelled),
        .lost = atomic_load(&tally->lost),
    };
    out->claimed = atomic_load(&tally->claimed);
    out->since_claim_ms = rv_tally_since_ms(tally, now_ms);
}
