#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "exit.h"

static const char *set_env(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* --store, then $REEVE_STORE; NULL for the default. env:NAME stands for the value of $NAME. */
static int choose_url(const struct cli *cli, const char **out) {
    const char *url = cli->store ? cli->store : set_env("REEVE_STORE");
    if (url && !strncmp(url, "env:", 4)) {
        const char *name = url + 4;
        url = set_env(name);
        if (!url) return fail_usage("--store env:%s: $%s is not set", name, name);
    }
    if (url && !strncmp(url, "memory:", 7))
        return fail_usage("memory: is private to one process and gone with it: nothing could be "
                          "shared; use sqlite:PATH");
    *out = url;
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

reeve *cli_open(const struct cli *cli, int *exit_code) {
    const char *url = NULL;
    *exit_code = choose_url(cli, &url);
    if (*exit_code) return NULL;
    struct reeve_options options = {
        .size = sizeof options,
        .space = cli->space ? cli->space : set_env("REEVE_SPACE"),
        .log_level = log_level(cli),
    };
    if (cli->verbose && !cli->silent) say_store(url);
    reeve *r;
    int rc = reeve_open(&r, url, &options);
    bool said = cli->silent && rc == REEVE_EUNREACHABLE;
    if (rc) *exit_code = said ? EXIT_UNREACHABLE : fail_api(rc);
    return r;
}
