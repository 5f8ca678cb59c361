/* The text of a member of a JSON object, as it was written: numbers keep their digits. */
#ifndef CLI_JSON_SLICE_H
#define CLI_JSON_SLICE_H

#include <stdbool.h>
#include <stddef.h>

/* text is one valid JSON object, checked by jansson before; name is that of a member it has. Its
 * value is at *value, *value_size bytes. */
bool json_slice(const char *text, size_t size, const char *name, const char **value,
                size_t *value_size);

#endif
