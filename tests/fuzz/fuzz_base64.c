/* Bytes in JSON: what is encoded comes back. */
#include "base64.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t out = 0;
    char *text = base64_encode(data ? (const void *)data : "", size);
    promise(text != NULL, "there is memory");
    void *back = base64_decode(text, strlen(text), &out);
    promise(back && out == size && (!size || !memcmp(back, data, size)), "bytes come back");
    free(back);
    free(text);
    char *foreign = text_of(data, size);
    void *bytes = base64_decode(foreign, size, &out);
    promise(!bytes || out <= size, "decoding shortens");
    free(bytes);
    free(foreign);
    return 0;
}
