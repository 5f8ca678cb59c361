/* A message about ends, as anybody may publish it: what cannot be read is passed over, and what is
 * told of it is whole. */
#include "fuzz.h"
#include "store/redis/end_bells.h"

static void check_told(const struct rv_told *told) {
    const struct reeve_job *job = told->job;
    if (!job) return; /* it is to be read */
    promise(strlen(job->queue) < REEVE_NAME_SIZE, "a queue's name is one");
    promise(strlen(job->id) < REEVE_ID_SIZE, "an id is one");
    promise(job->state >= REEVE_DELAYED && job->state <= REEVE_CANCELLED, "a state is one");
    promise(job->kind && strlen(job->kind) < REEVE_NAME_SIZE, "a kind is one");
    promise(!job->body_size || job->body, "a body is there");
    promise(!job->result_size || job->result, "a result is there");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct rv_rd store = {.url = {.prefix = "rv"}, .space = "test"};
    char *text = text_of(data, size);
    struct rv_list told;
    struct rv_bell bell = {.told = &told, .address = UINT32_C(0x80000001)};
    struct rv_rd_end_bells bells = {&bell, 1};
    bool rings = false;
    rv_list_init(&told);
    rv_rd_end_bells_hear(&store, &bells,
                         &(struct rv_rd_message){"rv:{test}:ends:80000002", {text, size}, NULL},
                         &rings);
    promise(!rings && rv_list_empty(&told), "what is told to others is not heard");
    rv_rd_end_bells_hear(&store, &bells,
                         &(struct rv_rd_message){"rv:{test}:ends:80000001", {text, size}, NULL},
                         &rings);
    promise(rings == !rv_list_empty(&told), "what is told rings");
    for (struct rv_list *l = told.next; l != &told; l = l->next)
        check_told(rv_container_of(l, struct rv_told, link));
    rv_told_release(&told);
    free(text);
    return 0;
}
