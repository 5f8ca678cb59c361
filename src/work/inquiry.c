#include "work/inquiry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct inquiry {
    const char *queue, *id;
    uint64_t token, holder;
};

/* A decimal number of 64 bits that ends at `end`, with nothing before it. */
static bool parse_number(const char *text, char end, uint64_t *out, const char **rest) {
    char *stop;
    if (*text < '0' || *text > '9') return false;
    errno = 0;
    *out = strtoull(text, &stop, 10);
    *rest = stop + 1;
    return !errno && *stop == end;
}

/* An id may have blanks and slashes in it; neither a queue nor a lease may. */
static bool parse(char *line, struct inquiry *out) {
    const char *rest;
    if (strncmp(line, "check ", 6) != 0) return false;
    char *queue = line + 6, *slash = strchr(queue, '/'), *blank = strrchr(queue, ' ');
    if (!slash || !blank || blank < slash) return false;
    *slash = *blank = '\0';
    out->queue = queue;
    out->id = slash + 1;
    return parse_number(blank + 1, '.', &out->token, &rest) &&
           parse_number(rest, '\0', &out->holder, &rest);
}

/* One line, whatever text holds. */
static void tell(char out[RV_INQUIRY_SIZE], const char *word, const char *text) {
    int size = snprintf(out, RV_INQUIRY_SIZE - 1, "%s %s", word, text);
    size_t end = size < RV_INQUIRY_SIZE - 1 ? (size_t)size : RV_INQUIRY_SIZE - 2;
    for (size_t i = 0; i < end; i++) {
        if ((unsigned char)out[i] < 0x20) out[i] = '?';
    }
    memcpy(out + end, "\n", 2);
}

void rv_inquiry_answer(struct rv_store *store, char *line, char out[RV_INQUIRY_SIZE]) {
    struct inquiry inquiry;
    struct rv_error err = {0};
    if (!parse(line, &inquiry)) {
        tell(out, "refused", "expected: check QUEUE/ID TOKEN.HOLDER");
        return;
    }
    int rc = rv_store_check(store, inquiry.queue, inquiry.id, inquiry.token, inquiry.holder, &err);
    if (!rc)
        (void)snprintf(out, RV_INQUIRY_SIZE, "current\n");
    else if (rc == REEVE_EFENCED || rc == REEVE_ENOENT)
        (void)snprintf(out, RV_INQUIRY_SIZE, "fenced\n");
    else
        tell(out, rc == REEVE_EINVAL ? "refused" : "unsure", err.text);
}
