#include "core/nonce.h"

#define AWAITED (UINT32_C(1) << 31)

uint64_t rv_nonce_draw(const struct rv_random *random) {
    uint64_t nonce = rv_random_nonzero(random) & ~((uint64_t)AWAITED << 32);
    return nonce ? nonce : 1;
}

uint64_t rv_nonce_awaited(uint32_t address, uint32_t number) {
    return (uint64_t)address << 32 | number;
}

uint32_t rv_nonce_draw_address(const struct rv_random *random) {
    return (uint32_t)rv_random_nonzero(random) | AWAITED;
}
