/* States and the transitions between them (J1). */
#ifndef RV_CORE_STATE_H
#define RV_CORE_STATE_H

#include <stdbool.h>

#include <reeve.h>

bool rv_state_may(enum reeve_state from,
                  enum reeve_state to);        /* only the arrows of reeve.h exist */
bool rv_state_ended(enum reeve_state state);   /* DONE, FAILED, CANCELLED */
bool rv_state_waiting(enum reeve_state state); /* DELAYED, READY */

#endif
