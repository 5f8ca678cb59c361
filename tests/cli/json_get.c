/* json-get PATH...: reads JSON Lines on stdin and prints what stands at each path of each line, one
 * line each: texts as they are, all else as compact JSON, "(absent)" where there is nothing. A path
 * is .name or [index], repeated; "keys" prints the names of the fields. Exit 1 on anything that is
 * not JSON. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

static const json_t *find(const json_t *value, const char *path) {
    while (value && *path) {
        bool is_index = *path++ == '[';
        size_t size = strcspn(path, is_index ? "]" : ".[");
        char name[128];
        (void)snprintf(name, sizeof name, "%.*s", (int)size, path);
        value = is_index ? json_array_get(value, strtoul(name, NULL, 10))
                         : json_object_get(value, name);
        path += size + is_index;
    }
    return value;
}

static void print_keys(json_t *object) {
    const char *key, *before = "";
    json_t *value;
    json_object_foreach(object, key, value) {
        (void)printf("%s%s", before, key);
        before = " ";
    }
    (void)putchar('\n');
}

static void print(const json_t *value) {
    if (json_is_string(value))
        (void)fwrite(json_string_value(value), 1, json_string_length(value), stdout);
    else if (value)
        (void)json_dumpf(value, stdout, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS);
    else
        (void)fputs("(absent)", stdout);
    (void)putchar('\n');
}

int main(int argc, char **argv) {
    char *line = NULL;
    size_t capacity = 0;
    ssize_t size;
    while ((size = getline(&line, &capacity, stdin)) > 0) {
        json_error_t error;
        json_t *root =
            json_loadb(line, (size_t)size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
        if (!root) {
            (void)fprintf(stderr, "not JSON: %s\n", error.text);
            return 1;
        }
        for (int i = 1; i < argc; i++) {
            if (!strcmp(argv[i], "keys"))
                print_keys(root);
            else
                print(find(root, argv[i]));
        }
        json_decref(root);
    }
    free(line);
    return 0;
}
