#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINE_SIZE 1200

static const char *level_name(enum reeve_log_level level) {
    static const char *const names[] = {"?", "error", "warn", "info", "debug"};
    return names[level >= REEVE_LOG_ERROR && level <= REEVE_LOG_DEBUG ? level : 0];
}

/* One write per line, so that lines of several processes do not mix. */
static void to_stderr(enum reeve_log_level level, const char *line) {
    char text[LINE_SIZE + 32];
    int size = snprintf(text, sizeof text, "reeve: %s: %s\n", level_name(level), line);
    if (size > 0 && write(STDERR_FILENO, text, (size_t)size) < 0) return; /* nowhere to say it */
}

void rv_log(const struct rv_log *log, enum reeve_log_level level, const char *id,
            const char *format, ...) {
    if (!log || level > log->level) return;
    char line[LINE_SIZE];
    int size = snprintf(line, sizeof line, "%s ", id);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line + size, sizeof line - (size_t)size, format, args);
    va_end(args);
    for (char *at = line; *at; at++) {
        if ((unsigned char)*at < 0x20 || *at == 0x7f) *at = ' '; /* a log line is one line */
    }
    if (log->fn)
        log->fn(log->arg, level, line);
    else
        to_stderr(level, line);
}

static int is_plain(const char *text) {
    if (!*text) return 0;
    for (; *text; text++) {
        if ((unsigned char)*text <= 0x20 || strchr("\"=\\\x7f", *text)) return 0;
    }
    return 1;
}

const char *rv_log_quote(char out[RV_QUOTED_SIZE], const char *text) {
    const size_t room = RV_QUOTED_SIZE - 6; /* an escape, the closing quote, the NUL */
    if (is_plain(text) && strlen(text) < RV_QUOTED_SIZE) return memcpy(out, text, strlen(text) + 1);
    size_t at = 0;
    out[at++] = '"';
    for (; *text && at < room; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') out[at++] = '\\';
        if (c < 0x20 || c == 0x7f)
            at += (size_t)snprintf(out + at, RV_QUOTED_SIZE - at, "\\x%02x", c);
        else
            out[at++] = (char)c;
    }
    out[at++] = '"';
    out[at] = '\0';
    return out;
}
