/* Text from others, made fit for a terminal; times and colours for people. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stdint.h>
#include <stdio.h>

/* Writes the bytes with control characters and what is not UTF-8 escaped: \n, \t, \xNN. */
void text_put(FILE *file, const void *bytes, size_t size);
/* The same as a string to be freed; NULL when out of memory. At most max bytes are looked at, and
 * "..." tells that there are more. */
char *text_escape(const void *bytes, size_t size, size_t max);
/* The columns that escaped text takes: one for each code point. */
size_t text_width(const char *text);

#define TEXT_TIME_SIZE 32
/* RFC 3339 in UTC with milliseconds; "-" if ms is 0. Returns out. */
const char *text_time(char out[TEXT_TIME_SIZE], int64_t ms);

#endif
