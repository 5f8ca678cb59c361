#include "args.h"

#include <stdio.h>
#include <string.h>

#include "exit.h"
#include "help.h"

void args_globals(struct cli *cli, struct arg out[ARGS_GLOBALS]) {
    const struct arg globals[ARGS_GLOBALS] = {
        arg_text("store", &cli->store, "URL",
                 "sqlite:PATH, redis://HOST:PORT and more (docs/redis.md), or env:NAME to take "
                 "the URL from $NAME. Without it $REEVE_STORE, "
                 "then what reeve.conf(5) says, then sqlite:$XDG_STATE_HOME/reeve/reeve.db "
                 "(~/.local/state/reeve/reeve.db)"),
        arg_text("space", &cli->space, "NAME",
                 "a namespace ($REEVE_SPACE, then what reeve.conf(5) says, then \"reeve\")"),
        arg_file("spool", &cli->spool,
                 "a local file that keeps pushes while the store is away, until they can be "
                 "forwarded ($REEVE_SPOOL, then what reeve.conf(5) says, then none)"),
        arg_flag("json", &cli->json, "one JSON object per line on stdout"),
        arg_flag("quiet", &cli->quiet, "-q: only errors on stderr"),
        arg_count("verbose", &cli->verbose, "-v, -vv: say more there"),
        arg_flag("help", &cli->help, "-h: about the command"),
        arg_flag("version", &cli->version, "which reeve this is"),
        {0},
    };
    memcpy(out, globals, sizeof globals);
}

static int set_value(const struct arg *arg, const char *text) {
    char wrong[ARG_WRONG_SIZE];
    const char *problem = arg_set(arg, text, wrong);
    return problem ? fail_usage("--%s: '%s' %s", arg->name, text, problem) : EXIT_DONE;
}

/* An option of the command's own, which is now given; or one of all. */
static const struct arg *find(struct arg *own, const struct arg *globals, const char *name,
                              size_t size) {
    const struct arg *found = arg_find(own, name, size);
    if (!found) return arg_find(globals, name, size);
    own[found - own].given = true;
    return found;
}

static int fail_unknown(const struct cli *cli, const char *option, size_t size) {
    const struct cmd *cmd = cli->cmd;
    return fail_usage("unknown option %.*s; see 'reeve help%s%s'", (int)size, option,
                      cmd ? " " : "", cmd ? cmd->name : "");
}

/* --name, --name=value or --name value at argv[*at], which moves behind it. */
static int take_long(struct cli *cli, struct arg *own, int argc, char **argv, int *at) {
    struct arg globals[ARGS_GLOBALS];
    args_globals(cli, globals);
    const char *name = argv[(*at)++] + 2;
    const char *equals = strchr(name, '=');
    size_t size = equals ? (size_t)(equals - name) : strlen(name);
    const struct arg *arg = find(own, globals, name, size);
    if (!arg) return fail_unknown(cli, name - 2, size + 2);
    if (!arg_takes_value(arg)) {
        if (equals) return fail_usage("--%s takes no value", arg->name);
        arg_set_flag(arg);
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
            return fail_unknown(cli, letters, strlen(letters));
    }
    return EXIT_DONE;
}

static int take_option(struct cli *cli, struct arg *own, int argc, char **argv, int *at) {
    if (argv[*at][1] == '-') return take_long(cli, own, argc, argv, at);
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
static int read_all(struct cli *cli, struct arg *args, int argc, char **argv,
                    struct operands *out) {
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
        if (code) return code;
    }
    argv[out->count < argc ? out->count : argc] = NULL;
    return EXIT_DONE;
}

bool args_parse(struct cli *cli, struct arg *args, int argc, char **argv, struct operands *out,
                int *exit_code) {
    if (cli->describe) {
        cli->describe(cli->describe_arg, cli->cmd, args);
        return stop(exit_code, EXIT_DONE);
    }
    int code = read_all(cli, args, argc, argv, out);
    if (code) return stop(exit_code, code);
    if (!cli->help && !cli->version) return true;
    return stop(exit_code, cli->version ? show_version(cli) : show_usage(cli, cli->cmd, args));
}

bool args_parse_all(struct cli *cli, struct arg *args, int argc, char **argv, int least, int most,
                    struct operands *out, int *exit_code) {
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
    while (*at < argc) {
        if (!is_option(argv[*at])) return argv[(*at)++];
        if (!strcmp(argv[*at], "--")) break;
        int code = take_option(cli, NULL, argc, argv, at);
        if (code) {
            *exit_code = code;
            break;
        }
    }
    return NULL;
}
