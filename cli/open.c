#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "config.h"
#include "exit.h"

static const char *set_env(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static const char *first_of(const char *flag, const char *variable, const char *configured) {
    const char *environment = set_env(variable);
    return flag ? flag : environment ? environment : configured;
}

/* env:NAME stands for the value of $NAME. */
static int resolve(const char **url) {
    if (*url && !strncmp(*url, "env:", 4)) {
        const char *name = *url + 4;
        *url = set_env(name);
        if (!*url) return fail_usage("--store env:%s: $%s is not set", name, name);
    }
    if (*url && !strncmp(*url, "memory:", 7))
        return fail_usage("memory: is private to one process and gone with it: nothing could be "
                          "shared; use sqlite:PATH");
    return EXIT_DONE;
}

static enum reeve_log_level log_level(const struct cli *cli) {
    if (cli->quiet) return REEVE_LOG_ERROR;
    if (!cli->verbose) return REEVE_LOG_WARN;
    return cli->verbose == 1 ? REEVE_LOG_INFO : REEVE_LOG_DEBUG;
}

/* Secrets are not shown. */
static void say_store(const char *url) {
    char *chosen = NULL, *shown = NULL;
    if (!url && !reeve_default_url(&chosen)) url = chosen;
    if (url && !reeve_redact_url(url, &shown)) (void)fail(EXIT_DONE, "store %s", shown);
    reeve_free(shown);
    reeve_free(chosen);
}

/* url and space NULL: the library's defaults. */
static int open_at(const struct cli *cli, const char *url, const char *space, reeve **out,
                   int *exit_code) {
    struct reeve_options options = {
        .size = sizeof options,
        .space = space,
        .log_level = log_level(cli),
    };
    *exit_code = resolve(&url);
    if (*exit_code) return REEVE_OK;
    if (cli->verbose && !cli->silent) say_store(url);
    return reeve_open(out, url, &options);
}

/* The user's own file is read only if it is needed: a broken one stops nobody who says all. */
int cli_try_open(const struct cli *cli, reeve **out, int *exit_code) {
    const char *url = first_of(cli->store, "REEVE_STORE", cli->config_store);
    const char *space = first_of(cli->space, "REEVE_SPACE", cli->config_space);
    struct config_user user = {0};
    int rc = REEVE_OK;
    *out = NULL;
    *exit_code = url && space ? EXIT_DONE : config_user_read(&user);
    if (!*exit_code)
        rc = open_at(cli, url ? url : user.store, space ? space : user.space, out, exit_code);
    config_user_release(&user);
    return rc;
}

reeve *cli_open(const struct cli *cli, int *exit_code) {
    reeve *r;
    int rc = cli_try_open(cli, &r, exit_code);
    bool said = cli->silent && rc == REEVE_EUNREACHABLE;
    if (rc) *exit_code = said ? EXIT_UNREACHABLE : fail_api(rc);
    return r;
}
