/* Which queues have something to be tended soon, and when. At that moment these alone are looked
 * at: to look at all whenever one of thousands has something is a core's work. */
#ifndef RV_SERVICE_AGENDA_H
#define RV_SERVICE_AGENDA_H

#include <reeve.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Far more than are due in the seconds between two passes over all, and not much memory. */
enum { RV_AGENDA_MAX = 1024 };

struct rv_agenda_item {
    int64_t at_ms; /* CLOCK_BOOTTIME */
    char queue[REEVE_NAME_SIZE];
};

struct rv_agenda {
    struct rv_agenda_item *items; /* RV_AGENDA_MAX; NULL: not yet, or no memory */
    size_t count;
    int64_t rest_ms; /* the first of those that found no room; INT64_MAX: all have */
};

void rv_agenda_init(struct rv_agenda *agenda);
void rv_agenda_release(struct rv_agenda *agenda);
void rv_agenda_clear(struct rv_agenda *agenda);

void rv_agenda_add(struct rv_agenda *agenda, const char *queue, int64_t at_ms);
int64_t rv_agenda_next_ms(const struct rv_agenda *agenda); /* INT64_MAX: there is none */
/* Takes out one that is due by now. */
bool rv_agenda_take(struct rv_agenda *agenda, int64_t now_ms, char queue[REEVE_NAME_SIZE]);

#endif
