#include "args.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "exit.h"
#include "help.h"
#include "values.h"

enum { GLOBALS = 8 };

static void bind_globals(struct cli *cli, struct arg out[GLOBALS]) {
    const struct arg globals[GLOBALS] = {
        {.name = "store", .kind = ARG_TEXT, .to = &cli->store},
        {.name = "space", .kind = ARG_TEXT, .to = &cli->space},
        {.name = "json", .kind = ARG_FLAG, .to = &cli->json},
        {.name = "quiet", .kind = ARG_FLAG, .to = &cli->quiet},
        {.name = "verbose", .kind = ARG_COUNT, .to = &cli->verbose},
        {.name = "help", .kind = ARG_FLAG, .to = &cli->help},
        {.name = "version", .kind = ARG_FLAG, .to = &cli->version},
        {.kind = ARG_END},
    };
    memcpy(out, globals, sizeof globals);
}

static const struct arg *find(const struct arg *args, const char *name, size_t size) {
    for (; args->kind != ARG_END; args++) {
        if (strlen(args->name) == size && !memcmp(args->name, name, size)) return args;
    }
    return NULL;
}

static bool takes_value(const struct arg *arg) {
    return arg->kind != ARG_FLAG && arg->kind != ARG_COUNT;
}

static void set_flag(const struct arg *arg) {
    if (arg->kind == ARG_COUNT)
        ++*(int *)arg->to;
    else
        *(bool *)arg->to = true;
}

static const char *set_texts(struct texts *texts, const char *value) {
    if (texts->count == (int)(sizeof texts->items / sizeof texts->items[0]))
        return "is one too many";
    texts->items[texts->count++] = value;
    return NULL;
}

/* NULL, or what is wrong with a number that is otherwise well-formed. */
static const char *check_range(const struct arg *arg, int64_t value, char *text, size_t size) {
    int64_t most = arg->most ? arg->most : arg->kind == ARG_INT ? INT_MAX : INT64_MAX;
    int64_t least = arg->least || arg->most ? arg->least : arg->kind == ARG_INT ? INT_MIN : 0;
    if (value >= least && value <= most) return NULL;
    const char *unit = arg->kind == ARG_DURATION ? "ms" : "";
    if (value < least)
        (void)snprintf(text, size, "is too small: at least %" PRId64 "%s", least, unit);
    else
        (void)snprintf(text, size, "is too large: at most %" PRId64 "%s", most, unit);
    return text;
}

static const char *set_number(const struct arg *arg, const char *value, char *text, size_t size) {
    int64_t number = 0;
    const char *wrong = arg->kind == ARG_DURATION ? parse_duration(value, &number)
                        : arg->kind == ARG_TIME   ? parse_time(value, &number)
                                                  : parse_int(value, &number);
    if (!wrong) wrong = check_range(arg, number, text, size);
    if (wrong) return wrong;
    if (arg->kind == ARG_INT)
        *(int *)arg->to = (int)number;
    else
        *(int64_t *)arg->to = number;
    return NULL;
}

static int set_value(const struct arg *arg, const char *value) {
    char text[96];
    const char *wrong = NULL;
    switch (arg->kind) {
    case ARG_TEXT:
        *(const char **)arg->to = value;
        break;
    case ARG_TEXTS:
        wrong = set_texts(arg->to, value);
        break;
    case ARG_SIZE:
        wrong = parse_size(value, arg->to);
        break;
    case ARG_INT:
    case ARG_DURATION:
    case ARG_TIME:
        wrong = set_number(arg, value, text, sizeof text);
        break;
    case ARG_FLAG:
    case ARG_COUNT:
    case ARG_END:
        break;
    }
    return wrong ? fail_usage("--%s: '%s' %s", arg->name, value, wrong) : EXIT_DONE;
}

/* --name, --name=value or --name value at argv[*at], which moves behind it. */
static int take_long(const struct arg *own, const struct arg *globals, int argc, char **argv,
                     int *at) {
    const char *name = argv[(*at)++] + 2;
    const char *equals = strchr(name, '=');
    size_t size = equals ? (size_t)(equals - name) : strlen(name);
    const struct arg *arg = find(own, name, size);
    if (!arg) arg = find(globals, name, size);
    if (!arg) return fail_usage("unknown option --%.*s", (int)size, name);
    if (!takes_value(arg)) {
        if (equals) return fail_usage("--%s takes no value", arg->name);
        set_flag(arg);
        return EXIT_DONE;
    }
    if (equals) return set_value(arg, equals + 1);
    if (*at >= argc) return fail_usage("--%s needs a value", arg->name);
    return set_value(arg, argv[(*at)++]);
}

/* -v, -vv, -h, -q. */
static int take_short(struct cli *cli, const char *letters) {
    for (const char *letter = letters + 1; *letter; letter++) {
        if (*letter == 'v')
            cli->verbose++;
        else if (*letter == 'q')
            cli->quiet = true;
        else if (*letter == 'h')
            cli->help = true;
        else
            return fail_usage("unknown option %s", letters);
    }
    return EXIT_DONE;
}

static int take_option(struct cli *cli, const struct arg *own, int argc, char **argv, int *at) {
    struct arg globals[GLOBALS];
    bind_globals(cli, globals);
    if (argv[*at][1] == '-') return take_long(own, globals, argc, argv, at);
    return take_short(cli, argv[(*at)++]);
}

static bool is_option(const char *arg) {
    return arg[0] == '-' && arg[1];
}

static bool stop(int *exit_code, int code) {
    *exit_code = code;
    return false;
}

/* Operands are moved to the front of argv. */
bool args_parse(struct cli *cli, const struct arg *args, int argc, char **argv,
                struct operands *out, int *exit_code) {
    *out = (struct operands){.items = argv};
    for (int at = 0; at < argc;) {
        if (!strcmp(argv[at], "--")) {
            out->rest = argv + at + 1;
            break;
        }
        if (!is_option(argv[at])) {
            argv[out->count++] = argv[at++];
            continue;
        }
        int code = take_option(cli, args, argc, argv, &at);
        if (code) return stop(exit_code, code);
    }
    argv[out->count < argc ? out->count : argc] = NULL;
    if (!cli->help && !cli->version) return true;
    return stop(exit_code, cli->version ? show_version(cli) : show_usage(cli, cli->cmd));
}

bool args_parse_all(struct cli *cli, const struct arg *args, int argc, char **argv, int least,
                    int most, struct operands *out, int *exit_code) {
    if (!args_parse(cli, args, argc, argv, out, exit_code)) return false;
    for (char **rest = out->rest; rest && *rest; rest++)
        out->items[out->count++] = *rest;
    out->items[out->count] = NULL;
    if (out->count < least)
        return stop(exit_code, fail_usage("%s: too few arguments; see 'reeve help %s'",
                                          cli->cmd->name, cli->cmd->name));
    if (out->count > most)
        return stop(exit_code,
                    fail_usage("%s: unexpected argument '%s'", cli->cmd->name, out->items[most]));
    return true;
}

const char *args_next_word(struct cli *cli, int argc, char **argv, int *at, int *exit_code) {
    static const struct arg none[] = {{.kind = ARG_END}};
    while (*at < argc) {
        if (!is_option(argv[*at])) return argv[(*at)++];
        if (!strcmp(argv[*at], "--")) break;
        int code = take_option(cli, none, argc, argv, at);
        if (code) {
            *exit_code = code;
            break;
        }
    }
    return NULL;
}
