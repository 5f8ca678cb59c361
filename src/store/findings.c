#include "store/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void rv_find(struct rv_findings_book *book, enum reeve_health health, const char *check,
             const char *format, ...) {
    struct rv_findings *out = book->out;
    if (out->count == book->room) {
        size_t room = book->room ? 2 * book->room : 16;
        struct rv_finding *grown = realloc(out->findings, room * sizeof *grown);
        book->no_memory = book->no_memory || !grown;
        if (!grown) return;
        out->findings = grown;
        book->room = room;
    }
    struct rv_finding *finding = &out->findings[out->count++];
    finding->health = health;
    (void)snprintf(finding->check, sizeof finding->check, "%s", check);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(finding->text, sizeof finding->text, format, args);
    va_end(args);
}
