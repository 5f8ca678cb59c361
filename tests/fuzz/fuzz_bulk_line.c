/* A line of push --bulk: refused with words, or a push within its own bounds. */
#include "bulk_line.h"
#include "fuzz.h"

static void check_push(const struct reeve_push *push) {
    const unsigned char *body = push->body;
    unsigned sum = 0;
    promise(body || !push->body_size, "a body that has a size is there");
    for (size_t i = 0; i < push->body_size; i++)
        sum += body[i]; /* so that a body beyond its block is noticed */
    promise(sum <= 255 * push->body_size, "bytes are bytes");
    promise(!push->id || strlen(push->id) < SIZE_MAX, "an id ends");
    promise(push->kind != NULL, "the defaults stay");
}

static void try_line(const uint8_t *data, size_t size, int id_from_body) {
    char wrong[256];
    struct bulk_line line;
    struct reeve_push push = {.size = sizeof push, .queue = "q", .kind = "default"};
    char *text = text_of(data, size);
    const char *problem = bulk_line_read(text, size, id_from_body, &line, &push, wrong);
    if (problem) {
        promise(*problem != '\0', "a refusal has words");
    } else {
        check_push(&push);
        bulk_line_release(&line);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    try_line(data, size, 0);
    try_line(data, size, 1);
    return 0;
}
