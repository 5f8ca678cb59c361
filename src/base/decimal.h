/* Whole numbers as decimal text. snprintf() takes ten times as long, and some requests are mostly
 * numbers. */
#ifndef RV_BASE_DECIMAL_H
#define RV_BASE_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

enum { RV_DECIMAL_SIZE = 21 }; /* of any: a sign, 19 digits, NUL */

/* Returns how long it is, without the NUL. */
size_t rv_decimal(char out[RV_DECIMAL_SIZE], int64_t number);

#endif
