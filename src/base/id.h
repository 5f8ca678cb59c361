/* Generated ids: 22 characters, 128 bits (56 of time in microseconds, 72 random) in the letters of
 * base64url, taken in ASCII order so that ids sort as they were made. */
#ifndef RV_BASE_ID_H
#define RV_BASE_ID_H

#include <stdint.h>

#include "base/random.h"

#define RV_GENERATED_ID_SIZE 23 /* with its NUL */

void rv_id_generate(char out[RV_GENERATED_ID_SIZE], int64_t now_us, const struct rv_random *random);

#endif
