#include "arg.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <reeve.h>

#include "values.h"

const struct arg *arg_find(const struct arg *args, const char *name, size_t size) {
    for (; args && args->kind != ARG_END; args++) {
        if (strlen(args->name) == size && !memcmp(args->name, name, size)) return args;
    }
    return NULL;
}

bool arg_takes_value(const struct arg *arg) {
    return arg->kind != ARG_FLAG && arg->kind != ARG_COUNT;
}

struct arg arg_flag(const char *name, bool *to, const char *about) {
    return (struct arg){.name = name, .kind = ARG_FLAG, .to = to, .about = about};
}

struct arg arg_count(const char *name, int *to, const char *about) {
    return (struct arg){.name = name, .kind = ARG_COUNT, .to = to, .about = about};
}

struct arg arg_text(const char *name, const char **to, const char *value, const char *about) {
    return (struct arg){.name = name, .kind = ARG_TEXT, .to = to, .value = value, .about = about};
}

struct arg arg_file(const char *name, const char **to, const char *about) {
    return (struct arg){.name = name, .kind = ARG_FILE, .to = to, .value = "F", .about = about};
}

struct arg arg_texts(const char *name, struct texts *to, const char *value, const char *about) {
    return (struct arg){.name = name, .kind = ARG_TEXTS, .to = to, .value = value, .about = about};
}

struct arg arg_choice(const char *name, int *to, const char *choices, const char *about) {
    return (struct arg){
        .name = name, .kind = ARG_CHOICE, .to = to, .value = choices, .about = about};
}

static struct arg number(const char *name, enum arg_kind kind, void *to, const char *value,
                         int64_t least, int64_t most, const char *about) {
    return (struct arg){.name = name,
                        .kind = kind,
                        .to = to,
                        .value = value,
                        .about = about,
                        .least = least,
                        .most = most};
}

struct arg arg_int(const char *name, int *to, int least, int most, const char *about) {
    return number(name, ARG_INT, to, "N", least, most, about);
}

struct arg arg_bound(const char *name, int64_t *to, const char *about) {
    return number(name, ARG_BOUND, to, "N|none", 1, INT64_MAX, about);
}

struct arg arg_duration(const char *name, int64_t *to, int64_t least_ms, int64_t most_ms,
                        const char *about) {
    return number(name, ARG_DURATION, to, "D", least_ms, most_ms, about);
}

struct arg arg_size(const char *name, size_t *to, const char *about) {
    return (struct arg){.name = name, .kind = ARG_SIZE, .to = to, .value = "SIZE", .about = about};
}

struct arg arg_time(const char *name, int64_t *to, const char *about) {
    return number(name, ARG_TIME, to, "TIME", 1, INT64_MAX, about);
}

void arg_set_flag(const struct arg *arg) {
    if (arg->kind == ARG_COUNT)
        ++*(int *)arg->to;
    else
        *(bool *)arg->to = true;
}

static const char *set_texts(struct texts *texts, const char *text) {
    if (texts->count == (int)(sizeof texts->items / sizeof texts->items[0]))
        return "is one too many";
    texts->items[texts->count++] = text;
    return NULL;
}

static const char *set_choice(const struct arg *arg, const char *text, char wrong[ARG_WRONG_SIZE]) {
    int place = 1;
    for (const char *at = arg->value; at; place++) {
        size_t size = strcspn(at, "|");
        if (strlen(text) == size && !memcmp(at, text, size)) {
            *(int *)arg->to = place;
            return NULL;
        }
        at = at[size] ? at + size + 1 : NULL;
    }
    (void)snprintf(wrong, ARG_WRONG_SIZE, "is not one of %s", arg->value);
    return wrong;
}

static const char *say_bound(const struct arg *arg, const char *which, int64_t bound,
                             char wrong[ARG_WRONG_SIZE]) {
    bool days = arg->kind == ARG_DURATION && bound && bound % ARG_DAY_MS == 0;
    const char *unit = arg->kind != ARG_DURATION ? "" : days ? "d" : "ms";
    (void)snprintf(wrong, ARG_WRONG_SIZE, "is %s %" PRId64 "%s", which,
                   days ? bound / ARG_DAY_MS : bound, unit);
    return wrong;
}

/* NULL, or what is wrong with a number that is otherwise well-formed. */
static const char *check_range(const struct arg *arg, int64_t value, char wrong[ARG_WRONG_SIZE]) {
    if (value < arg->least) return say_bound(arg, "too small: at least", arg->least, wrong);
    if (value > arg->most) return say_bound(arg, "too large: at most", arg->most, wrong);
    return NULL;
}

static const char *set_number(const struct arg *arg, const char *text, char wrong[ARG_WRONG_SIZE]) {
    int64_t number = 0;
    const char *problem = arg->kind == ARG_DURATION ? parse_duration(text, &number)
                          : arg->kind == ARG_TIME   ? parse_time(text, &number)
                                                    : parse_int(text, &number);
    if (!problem) problem = check_range(arg, number, wrong);
    if (problem) return problem;
    if (arg->kind == ARG_INT)
        *(int *)arg->to = (int)number;
    else
        *(int64_t *)arg->to = number;
    return NULL;
}

const char *arg_set(const struct arg *arg, const char *text, char wrong[ARG_WRONG_SIZE]) {
    switch (arg->kind) {
    case ARG_TEXT:
    case ARG_FILE:
        *(const char **)arg->to = text;
        return NULL;
    case ARG_TEXTS:
        return set_texts(arg->to, text);
    case ARG_CHOICE:
        return set_choice(arg, text, wrong);
    case ARG_SIZE:
        return parse_size(text, arg->to);
    case ARG_BOUND:
        if (strcmp(text, "none") != 0) return set_number(arg, text, wrong);
        *(int64_t *)arg->to = REEVE_NONE;
        return NULL;
    case ARG_INT:
    case ARG_DURATION:
    case ARG_TIME:
        return set_number(arg, text, wrong);
    case ARG_FLAG:
    case ARG_COUNT:
    case ARG_END:
        break;
    }
    return "is not a value of an option";
}
