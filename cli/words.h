/* A command as one string, taken apart as a shell would, but nothing is run or expanded. */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

/* Splits text at blanks; '...', "..." and \ keep what is inside together. *out is NULL-ended and
 * one block to free. Returns NULL, or what is wrong with the text. */
const char *words_split(const char *text, char ***out);

#endif
