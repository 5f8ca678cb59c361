#include "bench_scratch.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "exit.h"

static const char sqlite[] = "sqlite:", memory[] = "memory:";

static bool begins(const char *text, const char *with) {
    return !strncmp(text, with, strlen(with));
}

/* The folder of the file that the URL names, and what follows the path in it. */
static void split(const char *store, int *folder_size, const char **folder, const char **query) {
    const char *path = store + strlen(sqlite);
    *query = path + strcspn(path, "?");
    *folder = ".";
    *folder_size = 1;
    for (const char *at = *query; at > path; at--) {
        if (at[-1] != '/') continue;
        *folder = path;
        *folder_size = (int)(at - path);
        return;
    }
}

static int make_folder(struct bench_scratch *s, const char *beside, int size) {
    int length = snprintf(s->folder, sizeof s->folder, "%.*s/reeve-bench-XXXXXX", size, beside);
    if (length < 0 || (size_t)length >= sizeof s->folder) {
        s->folder[0] = '\0';
        return fail_usage("bench: the path of the store is too long");
    }
    if (mkdtemp(s->folder)) return EXIT_DONE;
    s->folder[0] = '\0';
    return fail(EXIT_USAGE, "bench: cannot make a folder in %.*s: %s", size, beside,
                strerror(errno));
}

static int make_file(struct bench_scratch *s, const char *store) {
    const char *temp = getenv("TMPDIR"), *query = "";
    if (!temp || !*temp) temp = "/tmp";
    int size = (int)strlen(temp);
    if (store) split(store, &size, &temp, &query);
    int exit_code = make_folder(s, temp, size);
    if (!exit_code)
        (void)snprintf(s->url, sizeof s->url, "%s%s/bench.db%s", sqlite, s->folder, query);
    return exit_code;
}

int bench_scratch_make(struct bench_scratch *s, const char *store, const char *phase) {
    *s = (struct bench_scratch){.shared = true};
    if (!store || begins(store, sqlite)) return make_file(s, store);
    s->shared = !begins(store, memory);
    if (s->shared) (void)snprintf(s->space, sizeof s->space, "bench-%ld-%s", (long)getpid(), phase);
    int length = snprintf(s->url, sizeof s->url, "%s", store);
    return (size_t)length < sizeof s->url ? EXIT_DONE : fail_usage("bench: the URL is too long");
}

/* A store that is away by now has been told of. */
static void empty(const struct bench_scratch *s) {
    static const enum reeve_state states[] = {0, REEVE_DONE, REEVE_FAILED, REEVE_CANCELLED};
    struct reeve_options options = {.size = sizeof options, .space = s->space};
    reeve *r;
    if (reeve_open(&r, s->url, &options)) return;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        (void)reeve_queue_purge(r, BENCH_QUEUE, states[i], NULL);
    reeve_close(r);
}

void bench_scratch_remove(struct bench_scratch *s) {
    if (s->space[0]) empty(s);
    DIR *folder = s->folder[0] ? opendir(s->folder) : NULL;
    if (!folder) return;
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            (void)unlinkat(dirfd(folder), entry->d_name, 0);
    (void)closedir(folder);
    (void)rmdir(s->folder);
}
