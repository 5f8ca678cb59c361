/* What a push is known by when it is repeated (J7): 64 bits that no other push has. Those of a push
 * whose end somebody waits for tell whom and of what: their first half is his address, whose first
 * bit is set, the other half numbers his pushes. Pure. */
#ifndef RV_CORE_NONCE_H
#define RV_CORE_NONCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"

uint64_t rv_nonce_draw(const struct rv_random *random); /* nobody waits; not 0 */
uint64_t rv_nonce_awaited(uint32_t address, uint32_t number);
uint32_t rv_nonce_draw_address(const struct rv_random *random);

#endif
