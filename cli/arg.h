/* One option of a command: what it takes, where its value goes, and what help says of it. */
#ifndef CLI_ARG_H
#define CLI_ARG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum arg_kind {
    ARG_END = 0,  /* ends a table */
    ARG_FLAG,     /* bool */
    ARG_COUNT,    /* int: how often it was given */
    ARG_TEXT,     /* const char * */
    ARG_FILE,     /* const char *, a path */
    ARG_TEXTS,    /* struct texts: may be given again */
    ARG_CHOICE,   /* int: which one of .value, from 1 */
    ARG_INT,      /* int */
    ARG_BOUND,    /* int64_t; "none" is REEVE_NONE */
    ARG_DURATION, /* int64_t, ms */
    ARG_SIZE,     /* size_t */
    ARG_TIME,     /* int64_t, ms since the epoch */
};

struct arg {
    const char *name; /* without the dashes */
    enum arg_kind kind;
    void *to;
    const char *value;   /* what help calls its value; of ARG_CHOICE the words, '|' between them */
    const char *about;   /* what help says of it */
    int64_t least, most; /* of a number */
    bool given;          /* on the command line */
};

#define ARG_DAY_MS INT64_C(86400000)
#define ARG_UNSET INT64_MIN /* what a duration starts with, if 0 is to be told from nothing */

struct texts {
    const char *items[64];
    int count;
};

const struct arg *arg_find(const struct arg *args, const char *name, size_t size);
bool arg_takes_value(const struct arg *arg);

/* Makers of each kind. What *to holds is left alone unless the option is given. */
struct arg arg_flag(const char *name, bool *to, const char *about);
struct arg arg_count(const char *name, int *to, const char *about);
struct arg arg_text(const char *name, const char **to, const char *value, const char *about);
struct arg arg_file(const char *name, const char **to, const char *about);
struct arg arg_texts(const char *name, struct texts *to, const char *value, const char *about);
struct arg arg_choice(const char *name, int *to, const char *choices, const char *about);
struct arg arg_int(const char *name, int *to, int least, int most, const char *about);
struct arg arg_bound(const char *name, int64_t *to, const char *about); /* 1 or more, or none */
struct arg arg_duration(const char *name, int64_t *to, int64_t least_ms, int64_t most_ms,
                        const char *about);
struct arg arg_size(const char *name, size_t *to, const char *about);
struct arg arg_time(const char *name, int64_t *to, const char *about);

void arg_set_flag(const struct arg *arg);
/* Sets an option that takes a value. NULL, or what is wrong with the text, perhaps in wrong. */
enum { ARG_WRONG_SIZE = 128 };
const char *arg_set(const struct arg *arg, const char *text, char wrong[ARG_WRONG_SIZE]);

#endif
