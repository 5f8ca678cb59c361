#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "config.h"
#include "exit.h"

/* NULL: there is no home to look in, or no memory. */
static char *user_path(void) {
    const char *folder = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    bool given = folder && folder[0] == '/'; /* the standard has relative ones ignored */
    const char *parts[] = {given ? folder : home, given ? "" : "/.config", "/reeve/reeve.conf"};
    char *path = NULL;
    size_t size;
    if (!parts[0] || !parts[0][0]) return NULL;
    FILE *out = open_memstream(&path, &size);
    if (!out) return NULL;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        (void)fputs(parts[i], out);
    if (!fclose(out)) return path;
    free(path);
    return NULL;
}

int config_user_read(struct config_user *user) {
    *user = (struct config_user){.path = user_path()};
    if (!user->path || access(user->path, F_OK)) return EXIT_DONE;
    const struct arg args[] = {
        arg_text("store", &user->store, "URL", ""),
        arg_text("space", &user->space, "NAME", ""),
        arg_file("spool", &user->spool, ""),
        {0},
    };
    int exit_code = config_read(&user->config, user->path);
    return exit_code ? exit_code : config_apply(&user->config, args, NULL);
}

void config_user_release(struct config_user *user) {
    config_release(&user->config);
    free(user->path);
}
