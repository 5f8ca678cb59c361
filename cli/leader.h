/* Leaders, for people and for programs. */
#ifndef CLI_LEADER_H
#define CLI_LEADER_H

#include <jansson.h>
#include <reeve.h>

json_t *leader_json(const struct reeve_leader_info *leader); /* NULL when out of memory */

#endif
