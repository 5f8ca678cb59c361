#include "bulk_line.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arg.h"
#include "base64.h"
#include "json_slice.h"

static const char *say(char wrong[256], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static const char *say(char wrong[256], const char *format, ...) {
    va_list args;
    va_start(args, format);
    (void)vsnprintf(wrong, 256, format, args);
    va_end(args);
    return wrong;
}

static const char *read_text(const char *name, const json_t *value, const char **out, char *wrong) {
    const char *text = json_string_value(value);
    if (!text) return say(wrong, "%s is not a string", name);
    if (strlen(text) != json_string_length(value)) return say(wrong, "%s has a NUL byte", name);
    *out = text;
    return NULL;
}

/* Whole numbers within bounds that a real holds exactly, however they are written: the parser hands
 * all of them out as reals. */
static const char *read_int(const char *name, const json_t *value, int64_t least, int64_t most,
                            int64_t *out, char *wrong) {
    double number = json_number_value(value);
    if (!json_is_number(value)) return say(wrong, "%s is not a whole number", name);
    if (number < (double)least || number > (double)most)
        return say(wrong, "%s is %.17g: expected %" PRId64 " to %" PRId64, name, number, least,
                   most);
    *out = (int64_t)number;
    return (double)*out == number ? NULL : say(wrong, "%s is not a whole number", name);
}

/* {"base64": "..."} and nothing else. */
static const json_t *as_base64(const json_t *value) {
    const json_t *text = json_object_size(value) == 1 ? json_object_get(value, "base64") : NULL;
    return json_is_string(text) ? text : NULL;
}

/* As it is written: no digit of a number is lost. */
static const char *copy_body(struct bulk_line *out, struct reeve_push *push, char *wrong) {
    const char *value;
    if (!json_slice(out->text, out->text_size, "body", &value, &push->body_size))
        return say(wrong, "body cannot be found again");
    out->body = malloc(push->body_size);
    if (!out->body) return say(wrong, "out of memory");
    push->body = memcpy(out->body, value, push->body_size);
    return NULL;
}

static const char *read_body(const json_t *value, struct bulk_line *out, struct reeve_push *push,
                             char *wrong) {
    if (json_is_string(value)) {
        push->body = json_string_value(value);
        push->body_size = json_string_length(value);
        return NULL;
    }
    const json_t *text = as_base64(value);
    if (text) {
        out->body =
            base64_decode(json_string_value(text), json_string_length(text), &push->body_size);
        if (!out->body) return say(wrong, "body is not base64");
        push->body = out->body;
        return NULL;
    }
    return copy_body(out, push, wrong);
}

static const char *read_field(const char *name, const json_t *value, struct bulk_line *out,
                              struct reeve_push *push, char *wrong) {
    int64_t number = 0;
    const char *problem = NULL;
    if (json_is_null(value)) return NULL;
    if (!strcmp(name, "body")) return read_body(value, out, push, wrong);
    if (!strcmp(name, "id")) return read_text(name, value, &push->id, wrong);
    if (!strcmp(name, "kind")) return read_text(name, value, &push->kind, wrong);
    if (!strcmp(name, "priority")) {
        problem = read_int(name, value, REEVE_PRIORITY_MIN, REEVE_PRIORITY_MAX, &number, wrong);
        if (!problem) push->priority = (int)number;
        return problem;
    }
    if (!strcmp(name, "delay_ms")) {
        problem = read_int(name, value, 0, 3650 * ARG_DAY_MS, &number, wrong);
        if (problem) return problem;
        push->delay_ms = number;
        push->run_at_ms = 0; /* the line's own start goes before the default one */
        return NULL;
    }
    return say(wrong, "unknown field '%s': expected body, id, kind, priority, delay_ms", name);
}

static const char *read_fields(struct bulk_line *out, struct reeve_push *push, char *wrong) {
    const char *name;
    json_t *value;
    json_object_foreach(out->object, name, value) {
        const char *problem = read_field(name, value, out, push, wrong);
        if (problem) return problem;
    }
    return NULL;
}

const char *bulk_line_read(const char *text, size_t size, bool id_from_body, struct bulk_line *out,
                           struct reeve_push *push, char wrong[256]) {
    json_error_t error;
    *out = (struct bulk_line){.text = text, .text_size = size};
    /* As reals, so that no integer is too big: a body is stored as it was written anyway. */
    const size_t flags = JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL;
    out->object = json_loadb(text, size, flags, &error);
    if (!out->object) return say(wrong, "not JSON: %s", error.text);
    const char *problem = json_is_object(out->object) ? read_fields(out, push, wrong)
                                                      : say(wrong, "not a JSON object");
    if (!problem && id_from_body && !push->id) {
        if (!digest_id(push->body, push->body_size, out->id))
            problem = say(wrong, "cannot make an id of the body");
        push->id = out->id;
    }
    if (problem) bulk_line_release(out);
    return problem;
}

void bulk_line_release(struct bulk_line *line) {
    json_decref(line->object);
    free(line->body);
    *line = (struct bulk_line){0};
}
