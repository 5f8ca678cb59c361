/* JSON out: one object on one line. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

/* Bytes as a string if they are UTF-8, else as {"base64": "..."}. NULL when out of memory. */
json_t *json_bytes(const void *bytes, size_t size);
json_t *json_text(const char *text); /* the same; NULL becomes null */
json_t *json_ms(int64_t ms);         /* 0 becomes null */

/* Prints the object on a line of its own and takes it over; EXIT_DONE. NULL, which jansson gives
 * when out of memory: EXIT_BROKEN. */
int json_line(json_t *object);

#endif
