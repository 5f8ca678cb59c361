/* NAME FOLDER...: runs the target on every file of the folders, and on none at all. Writes TAP. A
 * promise that is broken ends the program, which the runner counts. */
#include <dirent.h>

#include "fuzz.h"

static void replay(const char *path) {
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    promise(file != NULL, "the corpus can be read");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    (void)fclose(file);
    uint8_t *exact = (uint8_t *)text_of(bytes, size);
    (void)LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static int replay_all(const char *folder, int count) {
    DIR *entries = opendir(folder);
    promise(entries != NULL, "the corpus is there");
    for (struct dirent *entry; (entry = readdir(entries));) {
        char path[4096];
        if (entry->d_name[0] == '.') continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        replay(path);
        (void)printf("ok %d - %s\n", ++count, entry->d_name);
    }
    (void)closedir(entries);
    return count;
}

int main(int argc, char **argv) {
    int count = 0;
    (void)LLVMFuzzerTestOneInput(NULL, 0);
    (void)printf("ok %d - nothing\n", ++count);
    for (int i = 1; i < argc; i++)
        count = replay_all(argv[i], count);
    (void)printf("1..%d\n", count);
    return 0;
}
