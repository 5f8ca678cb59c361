#include "config.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "exit.h"
#include "input.h"

enum { FILE_SIZE_MAX = 64 << 10, LINES_MAX = 1000 };

static char *trim(char *text) {
    while (isspace((unsigned char)*text))
        text++;
    size_t size = strlen(text);
    while (size && isspace((unsigned char)text[size - 1]))
        size--;
    text[size] = '\0';
    return text;
}

/* As much of a line as may be shown: it may be a misplaced password. */
static int shown_size(const char *text) {
    return (int)strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
}

/* A line without its newline; what is empty or begins with # says nothing. */
static int add_line(struct config *config, int number, char *text) {
    char *key = trim(text), *equals = strchr(key, '=');
    if (!*key || *key == '#') return EXIT_DONE;
    if (!equals || equals == key)
        return fail_usage("%s:%d: '%.*s...' is not of the form key = value", config->path, number,
                          shown_size(key), key);
    if (config->count == LINES_MAX)
        return fail_usage("%s:%d: over %d settings", config->path, number, LINES_MAX);
    *equals = '\0';
    config->lines[config->count++] = (struct config_line){number, trim(key), trim(equals + 1)};
    return EXIT_DONE;
}

static int split(struct config *config) {
    char *rest = config->text;
    for (int number = 1; rest; number++) {
        char *line = rest, *end = strchr(rest, '\n');
        rest = end ? end + 1 : NULL;
        if (end) *end = '\0';
        int exit_code = add_line(config, number, line);
        if (exit_code) return exit_code;
    }
    return EXIT_DONE;
}

int config_read(struct config *config, const char *path) {
    struct input input;
    *config = (struct config){.path = path};
    int exit_code = input_read(path, FILE_SIZE_MAX, &input);
    if (exit_code) return exit_code;
    config->text = realloc(input.data, input.size + 1);
    config->lines = calloc(LINES_MAX, sizeof *config->lines);
    if (!config->text) free(input.data);
    if (!config->text || !config->lines) {
        exit_code = fail(EXIT_BROKEN, "out of memory");
    } else if (memchr(config->text, '\0', input.size)) {
        exit_code = fail_usage("%s: holds a NUL byte: it is not text", path);
    } else {
        config->text[input.size] = '\0';
        exit_code = split(config);
    }
    if (exit_code) config_release(config);
    return exit_code;
}

static const char *set_flag(const struct arg *arg, const char *value) {
    bool yes = !strcmp(value, "yes");
    if (!yes && strcmp(value, "no") != 0) return "is neither yes nor no";
    if (yes) arg_set_flag(arg);
    return NULL;
}

int config_apply(const struct config *config, const struct arg *args, const struct arg *more) {
    for (size_t i = 0; i < config->count; i++) {
        const struct config_line *line = &config->lines[i];
        const struct arg *arg = arg_find(args, line->key, strlen(line->key));
        char wrong[ARG_WRONG_SIZE];
        if (!arg) arg = arg_find(more, line->key, strlen(line->key));
        if (!arg)
            return fail_usage("%s:%d: unknown key '%.*s'", config->path, line->number,
                              shown_size(line->key), line->key);
        if (arg->given) continue;
        const char *problem =
            arg_takes_value(arg) ? arg_set(arg, line->value, wrong) : set_flag(arg, line->value);
        if (problem)
            return fail_usage("%s:%d: %s: '%s' %s", config->path, line->number, arg->name,
                              line->value, problem);
    }
    return EXIT_DONE;
}

void config_release(struct config *config) {
    free(config->text);
    free(config->lines);
    *config = (struct config){0};
}
