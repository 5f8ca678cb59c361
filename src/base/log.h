/* Log lines: a stable id, then logfmt. The logger is a value in the handle; nothing is global. */
#ifndef RV_BASE_LOG_H
#define RV_BASE_LOG_H

#include <reeve.h>

struct rv_log {
    reeve_log_fn *fn; /* NULL: stderr */
    void *arg;
    enum reeve_log_level level;
};

/* Text values are quoted by rv_log_quote() where they may hold anything. Control bytes are escaped.
 */
void rv_log(const struct rv_log *log, enum reeve_log_level level, const char *id,
            const char *format, ...) __attribute__((format(printf, 4, 5)));

#define RV_QUOTED_SIZE 256
/* text as a logfmt value ("..." where it must be quoted), cut to fit; returns out. */
const char *rv_log_quote(char out[RV_QUOTED_SIZE], const char *text);

#endif
