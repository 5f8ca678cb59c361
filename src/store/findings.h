/* What an examination finds, as it comes: for stores that examine themselves. */
#ifndef RV_STORE_FINDINGS_H
#define RV_STORE_FINDINGS_H

#include "store/store.h"

struct rv_findings_book {
    struct rv_findings *out;
    size_t room;
    bool no_memory; /* findings were lost */
};

/* Adds a finding. check is a stable word. */
void rv_find(struct rv_findings_book *book, enum reeve_health health, const char *check,
             const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
