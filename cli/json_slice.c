#include "json_slice.h"

#include <string.h>

#include <jansson.h>

struct at {
    const char *here, *end;
};

static void skip_space(struct at *at) {
    while (at->here < at->end && strchr(" \t\r\n", *at->here))
        at->here++;
}

/* At an opening quote: behind the closing one. */
static void skip_string(struct at *at) {
    for (at->here++; at->here < at->end && *at->here != '"'; at->here++) {
        if (*at->here == '\\') at->here++;
    }
    if (at->here < at->end) at->here++;
}

/* Behind the value that begins here: of a string, up to what ends a scalar, or a balanced run of
 * braces. */
static void skip_value(struct at *at) {
    int depth = 0;
    while (at->here < at->end) {
        char c = *at->here;
        if (c == '"') {
            skip_string(at);
            if (!depth) return;
            continue;
        }
        if (!depth && strchr(",}] \t\r\n", c)) return;
        if (c == '{' || c == '[') depth++;
        if ((c == '}' || c == ']') && --depth == 0) {
            at->here++;
            return;
        }
        at->here++;
    }
}

/* A key may be written with escapes: jansson knows how to read it. */
static bool is_key(const char *text, size_t size, const char *name) {
    json_t *key = json_loadb(text, size, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    bool same = key && json_string_length(key) == strlen(name) &&
                !memcmp(json_string_value(key), name, strlen(name));
    json_decref(key);
    return same;
}

bool json_slice(const char *text, size_t size, const char *name, const char **value,
                size_t *value_size) {
    struct at at = {text, text + size};
    skip_space(&at);
    at.here++; /* the opening brace, then a comma after each member */
    for (; at.here < at.end; at.here++) {
        skip_space(&at);
        const char *key = at.here;
        skip_value(&at);
        bool found = is_key(key, (size_t)(at.here - key), name);
        skip_space(&at);
        at.here++; /* the colon */
        skip_space(&at);
        *value = at.here;
        skip_value(&at);
        *value_size = (size_t)(at.here - *value);
        if (found) return true;
        skip_space(&at);
    }
    return false;
}
