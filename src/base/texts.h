/* Strings, and NULL-ended lists of them. */
#ifndef RV_BASE_TEXTS_H
#define RV_BASE_TEXTS_H

#include <stddef.h>

/* A copy in one block that free() ends: the pointers, then the strings. NULL when out of memory. */
char **rv_texts_copy(const char *const *texts);

/* How much of text to take if at most max bytes may be: never a part of a UTF-8 character. */
size_t rv_text_cut(const char *text, size_t max);

#endif
