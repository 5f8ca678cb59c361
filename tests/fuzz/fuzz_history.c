/* What a hostile or damaged store gives as the history of a job: refused, or read; and what is
 * written of it reads and writes as the same. */
#include "core/history.h"
#include "core/limits.h"
#include "fuzz.h"

/* False: longer than any that was ever written. */
static bool write_into(struct rv_buf *buf, const struct rv_history *history) {
    rv_buf_init(buf, RV_HISTORY_BYTES_MAX);
    int rc = rv_history_write(buf, history->attempts, history->count, NULL);
    promise(rc == 0 || rc == REEVE_ETOOBIG, "what was read can be written");
    return rc == 0;
}

static void check_again(const struct rv_history *history) {
    struct rv_buf first, second;
    struct rv_history *again = NULL;
    if (write_into(&first, history)) {
        int rc = rv_history_read((struct rv_bytes){first.data, first.size}, &again);
        promise(rc == 0 && again && again->count == history->count, "it reads as long as it was");
        promise(write_into(&second, again), "it is not longer than it was");
        promise(first.size == second.size && !memcmp(first.data, second.data, first.size),
                "it reads as it was written");
        rv_buf_release(&second);
    }
    free(again);
    rv_buf_release(&first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct rv_history *history = NULL;
    int rc = rv_history_read((struct rv_bytes){data, size}, &history);
    promise(rc == 0 || rc == REEVE_ECORRUPT || rc == REEVE_ENOMEM, "a defined answer");
    promise(rc == 0 || !history, "nothing comes with a refusal");
    if (history && history->count) check_again(history);
    free(history);
    return 0;
}
