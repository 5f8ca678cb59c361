/* All interleavings of a script's sessions. */
#include "races/script.h"

#include <stdlib.h>

struct order *script_add_order(struct script *script) {
    if (script->order_count == ORDERS_MAX) return NULL;
    if (!script->orders) script->orders = calloc(ORDERS_MAX, sizeof *script->orders);
    return script->orders ? &script->orders[script->order_count++] : NULL;
}

/* Is steps[at] the first of its session that is not taken yet? */
static bool comes_next(const struct script *script, const bool *taken, size_t at) {
    if (taken[at]) return false;
    for (size_t i = 0; i < at; i++)
        if (!taken[i] && script->steps[i].session == script->steps[at].session) return false;
    return true;
}

static bool extend(struct script *script, struct order *begun, bool *taken) {
    if (begun->count == script->step_count) {
        struct order *order = script_add_order(script);
        if (order) *order = *begun;
        return order != NULL;
    }
    for (size_t i = 0; i < script->step_count; i++) {
        if (!comes_next(script, taken, i)) continue;
        taken[i] = true;
        begun->steps[begun->count++] = i;
        bool fits = extend(script, begun, taken);
        begun->count--;
        taken[i] = false;
        if (!fits) return false;
    }
    return true;
}

bool script_add_all_orders(struct script *script) {
    struct order begun = {0};
    bool taken[STEPS_MAX] = {false};
    return extend(script, &begun, taken);
}
