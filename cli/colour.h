/* Colours: on a terminal only, and never with $NO_COLOR. */
#ifndef CLI_COLOUR_H
#define CLI_COLOUR_H

#include <reeve.h>

const char *colour_of(enum reeve_state state); /* "" where there are none */
const char *colour_end(void);

#endif
