/* Numbers, durations, sizes, times and addresses as people write them. */
#include "fuzz.h"
#include "values.h"

static void check_bounds(const char *text) {
    int64_t number = 0;
    size_t bytes = 0;
    if (!parse_int(text, &number)) promise(*text != '\0', "nothing is no number");
    if (!parse_duration(text, &number)) promise(number >= 0, "a duration is not negative");
    if (!parse_size(text, &bytes)) promise(bytes <= INT64_MAX, "a size is one");
    if (!parse_time(text, &number))
        promise(number > 0 && number < INT64_C(253402300800000) + 86400000,
                "a time lies between 1970 and 9999");
}

static void check_address(const char *text) {
    struct address address;
    if (parse_address(text, &address)) return;
    size_t size = strlen(address.queue);
    promise(size && *address.id, "both parts are there");
    promise(!strncmp(text, address.queue, size) && text[size] == '/' &&
                !strcmp(text + size + 1, address.id),
            "an address is its parts");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = text_of(data, size);
    check_bounds(text);
    check_address(text);
    free(text);
    return 0;
}
