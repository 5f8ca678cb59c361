/* A line that a program asks its worker, whatever it holds: one line answers it, and none that is
 * not a request is taken for one. */
#include "fuzz.h"
#include "work/inquiry.h"

static struct rv_store *open_store(void) {
    static const struct rv_log log = {.level = REEVE_LOG_ERROR};
    struct rv_store_config config = {
        .space = "fuzz", .timeout_ms = 1000, .log = &log, .clock = &rv_clock_real};
    struct rv_store *store;
    promise(!rv_store_open(&store, "memory:", &config, NULL), "there is a store");
    return store;
}

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char answer[RV_INQUIRY_SIZE];
    struct rv_store *store = open_store();
    char *line = text_of(data, size < RV_INQUIRY_SIZE ? size : RV_INQUIRY_SIZE - 1);
    bool request = begins(line, "check ");
    memset(answer, 'x', sizeof answer);
    rv_inquiry_answer(store, line, answer);
    const char *end = memchr(answer, '\0', sizeof answer);
    promise(end && end > answer && end[-1] == '\n', "the answer is a line");
    promise(strchr(answer, '\n') == end - 1, "it is one line");
    bool fenced = strcmp(answer, "fenced\n") == 0; /* there is no job that it could be of */
    promise(fenced || begins(answer, "refused "), "nothing is current");
    promise(request || !fenced, "only a request is looked up");
    free(line);
    rv_store_close(store);
    return 0;
}
