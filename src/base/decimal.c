#include "base/decimal.h"

#include <string.h>

size_t rv_decimal(char out[RV_DECIMAL_SIZE], int64_t number) {
    char digits[RV_DECIMAL_SIZE], *first = digits + sizeof digits;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    *--first = '\0';
    do {
        *--first = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (number < 0) *--first = '-';
    size_t size = (size_t)(digits + sizeof digits - first);
    memcpy(out, first, size);
    return size - 1;
}
