/* NULL-ended lists of strings. */
#ifndef RV_BASE_TEXTS_H
#define RV_BASE_TEXTS_H

/* A copy in one block that free() ends: the pointers, then the strings. NULL when out of memory. */
char **rv_texts_copy(const char *const *texts);

#endif
