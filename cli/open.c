#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "config.h"
#include "exit.h"
#include "secret.h"

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
        if (!*name) return fail_usage("--store env: names no variable: env:NAME is expected");
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

/* Where the store is, and what goes with it. NULL: the library's defaults. */
struct place {
    const char *url, *space, *spool;
    const char *file; /* that names url, or NULL */
};

static int ignore_worker(void *arg, const struct reeve_worker_info *worker) {
    (void)arg, (void)worker;
    return 1;
}

/* With a spool the library opens a store that is away: not everybody can do without it. */
static int require_store(reeve **r) {
    int rc = reeve_worker_list(*r, ignore_worker, NULL);
    if (!rc) return 0;
    reeve_close(*r);
    *r = NULL;
    return rc;
}

/* A path that was mistyped must not become a file. */
static int meet_spool(const struct cli *cli, const char *path) {
    if (cli->spool_use != CLI_SPOOL_ALONE || !path || !*path || !access(path, F_OK))
        return EXIT_DONE;
    return fail(EXIT_UNKNOWN, "the spool %s: %s", path, strerror(errno));
}

/* Before env:NAME is resolved: what it stands for is in the environment, and that is private. */
static void warn_of_secrets(const struct cli *cli, const struct place *place) {
    if (cli->quiet || cli->silent || !place->url) return;
    if (place->url == cli->store) secret_warn_argument(place->url);
    if (place->file) secret_warn_file(place->url, place->file);
}

static int open_at(const struct cli *cli, struct place place, reeve **out, int *exit_code) {
    struct reeve_options options = {
        .size = sizeof options,
        .space = place.space,
        .timeout_ms = cli->call_ms,
        .log_level = log_level(cli),
        .spool = cli->spool_use ? place.spool : NULL,
    };
    warn_of_secrets(cli, &place);
    *exit_code = resolve(&place.url);
    if (!*exit_code) *exit_code = meet_spool(cli, place.spool);
    if (*exit_code) return REEVE_OK;
    if (cli->verbose && !cli->silent) say_store(place.url);
    int rc = reeve_open(out, place.url, &options);
    return !rc && options.spool && cli->spool_use == CLI_SPOOL_BESIDES ? require_store(out) : rc;
}

/* The user's own file is read only if it is needed: a broken one stops nobody who says all. */
int cli_try_open(const struct cli *cli, reeve **out, int *exit_code) {
    struct place place = {
        .url = first_of(cli->store, "REEVE_STORE", cli->config_store),
        .space = first_of(cli->space, "REEVE_SPACE", cli->config_space),
        .spool = first_of(cli->spool, "REEVE_SPOOL", cli->config_spool),
    };
    struct config_user user = {0};
    bool said = place.url && place.space && (place.spool || !cli->spool_use);
    int rc = REEVE_OK;
    *out = NULL;
    *exit_code = said ? EXIT_DONE : config_user_read(&user);
    if (place.url && place.url == cli->config_store) place.file = cli->config_path;
    if (!place.url) {
        place.url = user.store;
        place.file = user.path;
    }
    if (!place.space) place.space = user.space;
    if (!place.spool) place.spool = user.spool;
    if (!*exit_code) rc = open_at(cli, place, out, exit_code);
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
