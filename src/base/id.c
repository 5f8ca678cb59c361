#include "base/id.h"

#include <stddef.h>

static const char letters[] = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

/* Ten letters, of the lower 60 bits. */
static void spell_ten(char *out, uint64_t bits) {
    for (int i = 9; i >= 0; i--, bits >>= 6)
        out[i] = letters[bits & 63];
}

void rv_id_generate(char out[RV_GENERATED_ID_SIZE], int64_t now_us,
                    const struct rv_random *random) {
    uint64_t high = (uint64_t)now_us << 8 | (rv_random_u64(random) & 0xff);
    uint64_t low = rv_random_u64(random);
    spell_ten(out, high >> 4);
    out[10] = letters[(high << 2 & 63) | low >> 62];
    spell_ten(out + 11, low >> 2);
    out[21] = letters[low << 4 & 63]; /* two bits of it are left */
    out[RV_GENERATED_ID_SIZE - 1] = '\0';
}
