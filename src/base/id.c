#include "base/id.h"

#include <stddef.h>

static const char letters[] = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

void rv_id_generate(char out[RV_GENERATED_ID_SIZE], int64_t now_us,
                    const struct rv_random *random) {
    uint64_t high = (uint64_t)now_us << 8 | (rv_random_u64(random) & 0xff);
    uint64_t low = rv_random_u64(random);
    unsigned char bytes[17] = {0}; /* one more, so that the last letter has bits to take */
    for (size_t i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(high >> (56 - 8 * i));
        bytes[8 + i] = (unsigned char)(low >> (56 - 8 * i));
    }
    for (size_t i = 0; i < RV_GENERATED_ID_SIZE - 1; i++) {
        size_t bit = 6 * i;
        unsigned pair = (unsigned)bytes[bit / 8] << 8 | bytes[bit / 8 + 1];
        out[i] = letters[pair >> (10 - bit % 8) & 63];
    }
    out[RV_GENERATED_ID_SIZE - 1] = '\0';
}
