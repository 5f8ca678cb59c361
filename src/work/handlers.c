#include "work/handlers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/texts.h"
#include "core/check.h"

static bool same_kind(const char *a, const char *b) {
    return a && b ? !strcmp(a, b) : a == b;
}

static const struct rv_handler *find_exact(const struct rv_handlers *handlers, const char *kind) {
    for (size_t i = 0; i < handlers->count; i++) {
        if (same_kind(handlers->items[i].kind, kind)) return &handlers->items[i];
    }
    return NULL;
}

const struct rv_handler *rv_handlers_find(const struct rv_handlers *handlers, const char *kind) {
    const struct rv_handler *handler = find_exact(handlers, kind);
    return handler ? handler : find_exact(handlers, NULL);
}

bool rv_handlers_have_program(const struct rv_handlers *handlers) {
    for (size_t i = 0; i < handlers->count; i++) {
        if (handlers->items[i].argv) return true;
    }
    return false;
}

void rv_handlers_tell_kinds(const struct rv_handlers *handlers, char *out, size_t out_size) {
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 0; i < handlers->count && at < out_size; i++) {
        const char *kind = handlers->items[i].kind;
        at += (size_t)snprintf(out + at, out_size - at, "%s%s", at ? " " : "", kind ? kind : "*");
    }
    if (at >= out_size) out[0] = '\0';
}

/* The new handler, of kind alone, or NULL. */
static struct rv_handler *add(struct rv_handlers *handlers, const char *kind,
                              struct rv_error *err) {
    if (kind && rv_check_name("kind", kind, err)) return NULL;
    if (find_exact(handlers, kind)) {
        (void)rv_fail(err, REEVE_EINVAL, "kind '%s' has a handler already", kind ? kind : "(any)");
        return NULL;
    }
    size_t size = (handlers->count + 1) * sizeof *handlers->items;
    struct rv_handler *items = realloc(handlers->items, size);
    char *name = kind ? strdup(kind) : NULL;
    if (items) handlers->items = items;
    if (!items || (kind && !name)) {
        free(name);
        (void)rv_fail(err, REEVE_ENOMEM, "no memory for a handler");
        return NULL;
    }
    items[handlers->count] = (struct rv_handler){.kind = name};
    return &items[handlers->count++];
}

int rv_handlers_add_function(struct rv_handlers *handlers, const char *kind, reeve_handler *fn,
                             void *arg, struct rv_error *err) {
    if (!fn) return rv_fail(err, REEVE_EINVAL, "a handler is NULL");
    struct rv_handler *handler = add(handlers, kind, err);
    if (!handler) return err->code;
    handler->fn = fn;
    handler->arg = arg;
    return 0;
}

int rv_handlers_add_program(struct rv_handlers *handlers, const char *kind,
                            const char *const argv[], struct rv_error *err) {
    if (!argv || !argv[0] || !argv[0][0])
        return rv_fail(err, REEVE_EINVAL, "a program without a name");
    char **copy = rv_texts_copy(argv);
    if (!copy) return rv_fail(err, REEVE_ENOMEM, "no memory for a program's arguments");
    struct rv_handler *handler = add(handlers, kind, err);
    if (!handler) {
        free(copy);
        return err->code;
    }
    handler->argv = copy;
    return 0;
}

void rv_handlers_release(struct rv_handlers *handlers) {
    for (size_t i = 0; i < handlers->count; i++) {
        free(handlers->items[i].kind);
        free(handlers->items[i].argv);
    }
    free(handlers->items);
    *handlers = (struct rv_handlers){0};
}
