#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base64.h"
#include "exit.h"

static json_t *base64(const void *bytes, size_t size) {
    char *text = base64_encode(bytes, size);
    json_t *object = text ? json_pack("{s:s}", "base64", text) : NULL;
    free(text);
    return object;
}

json_t *json_bytes(const void *bytes, size_t size) {
    json_t *text = json_stringn(size ? bytes : "", size); /* NULL if it is not UTF-8 */
    return text ? text : base64(bytes, size);
}

json_t *json_text(const char *text) {
    return text ? json_bytes(text, strlen(text)) : json_null();
}

json_t *json_ms(int64_t ms) {
    return ms ? json_integer(ms) : json_null();
}

int json_line(json_t *object) {
    if (!object) return fail(EXIT_BROKEN, "out of memory");
    int rc = json_dumpf(object, stdout, JSON_COMPACT | JSON_ENCODE_ANY);
    json_decref(object);
    if (!rc) (void)putchar('\n');
    return EXIT_DONE; /* an error of stdout is told at the end of the program */
}
