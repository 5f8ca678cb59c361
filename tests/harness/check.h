/* What tests say. A check that does not hold prints both values and ends the test; call it only
 * from the thread that cmocka runs the test on. Arguments are evaluated once. */
#ifndef HARNESS_CHECK_H
#define HARNESS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CHECK(condition) check_true((condition), #condition, __FILE__, __LINE__)
#define CHECK_INT(actual, expected) \
    check_int((int64_t)(actual), (int64_t)(expected), #actual, __FILE__, __LINE__)
#define CHECK_BETWEEN(actual, least, most) \
    check_between((int64_t)(actual), (int64_t)(least), (int64_t)(most), #actual, __FILE__, __LINE__)
/* NULL equals only NULL. */
#define CHECK_STR(actual, expected) check_str((actual), (expected), #actual, __FILE__, __LINE__)
#define CHECK_BYTES(actual, size, expected, expected_size) \
    check_bytes((actual), (size), (expected), (expected_size), #actual, __FILE__, __LINE__)
/* call gives a REEVE_E* code. */
#define CHECK_OK(call) check_code((call), 0, #call, __FILE__, __LINE__)
#define CHECK_FAILS(call, code) check_code((call), (code), #call, __FILE__, __LINE__)

void check_true(bool holds, const char *what, const char *file, int line);
void check_int(int64_t actual, int64_t expected, const char *what, const char *file, int line);
void check_between(int64_t actual, int64_t least, int64_t most, const char *what, const char *file,
                   int line);
void check_str(const char *actual, const char *expected, const char *what, const char *file,
               int line);
void check_bytes(const void *actual, size_t size, const void *expected, size_t expected_size,
                 const char *what, const char *file, int line);
void check_code(int actual, int expected, const char *what, const char *file, int line);

#endif
