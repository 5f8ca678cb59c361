#include "harness/check.h"

#include <inttypes.h>
#include <string.h>

#include <reeve.h>

void check_true(bool holds, const char *what, const char *file, int line) {
    if (holds) return;
    print_error("%s does not hold\n", what);
    _fail(file, line);
}

void check_int(int64_t actual, int64_t expected, const char *what, const char *file, int line) {
    if (actual == expected) return;
    print_error("%s is %" PRId64 ", expected %" PRId64 "\n", what, actual, expected);
    _fail(file, line);
}

void check_between(int64_t actual, int64_t least, int64_t most, const char *what, const char *file,
                   int line) {
    if (actual >= least && actual <= most) return;
    print_error("%s is %" PRId64 ", expected %" PRId64 " to %" PRId64 "\n", what, actual, least,
                most);
    _fail(file, line);
}

void check_str(const char *actual, const char *expected, const char *what, const char *file,
               int line) {
    if (actual && expected ? strcmp(actual, expected) == 0 : actual == expected) return;
    print_error("%s is '%s', expected '%s'\n", what, actual ? actual : "(NULL)",
                expected ? expected : "(NULL)");
    _fail(file, line);
}

/* Where two runs of bytes first differ. */
static size_t first_difference(const unsigned char *a, const unsigned char *b, size_t size) {
    size_t i = 0;
    while (i < size && a[i] == b[i])
        i++;
    return i;
}

void check_bytes(const void *actual, size_t size, const void *expected, size_t expected_size,
                 const char *what, const char *file, int line) {
    size_t common = size < expected_size ? size : expected_size;
    size_t same = common ? first_difference(actual, expected, common) : 0;
    if (size == expected_size && same == size) return;
    print_error("%s has %zu bytes, expected %zu; they differ from byte %zu on\n", what, size,
                expected_size, same);
    _fail(file, line);
}

static const char *code_name(int code) {
    return code ? reeve_errname(code) : "OK";
}

void check_code(int actual, int expected, const char *what, const char *file, int line) {
    if (actual == expected) return;
    print_error("%s gave %s, expected %s\n", what, code_name(actual), code_name(expected));
    _fail(file, line);
}
