#include "secret.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include <reeve.h>

#include "exit.h"

static bool has_password(const char *url) {
    char *shown;
    if (reeve_redact_url(url, &shown)) return false;
    bool has = strcmp(shown, url) != 0;
    reeve_free(shown);
    return has;
}

void secret_warn_argument(const char *url) {
    if (has_password(url))
        (void)fail(EXIT_DONE, "the password in --store can be seen by all who list processes here: "
                              "$REEVE_STORE, env:NAME or reeve.conf(5) keep it");
}

void secret_warn_file(const char *url, const char *path) {
    struct stat about;
    if (!has_password(url) || stat(path, &about) || !(about.st_mode & (S_IRGRP | S_IROTH))) return;
    (void)fail(EXIT_DONE, "%s has a password in it, and others may read it: chmod 600 it", path);
}
