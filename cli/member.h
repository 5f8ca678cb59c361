/* A member of a group of streams, for people and for programs. */
#ifndef CLI_MEMBER_H
#define CLI_MEMBER_H

#include <reeve.h>

#include "json.h"

json_t *member_json(const struct reeve_member_info *member); /* NULL: out of memory */

#endif
