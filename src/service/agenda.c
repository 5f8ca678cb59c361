#include "service/agenda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rv_agenda_init(struct rv_agenda *agenda) {
    *agenda = (struct rv_agenda){.rest_ms = INT64_MAX};
}

void rv_agenda_release(struct rv_agenda *agenda) {
    free(agenda->items);
}

void rv_agenda_clear(struct rv_agenda *agenda) {
    agenda->count = 0;
    agenda->rest_ms = INT64_MAX;
}

static bool has_room(struct rv_agenda *agenda) {
    if (!agenda->items) agenda->items = malloc(RV_AGENDA_MAX * sizeof *agenda->items);
    return agenda->items && agenda->count < RV_AGENDA_MAX;
}

void rv_agenda_add(struct rv_agenda *agenda, const char *queue, int64_t at_ms) {
    if (!has_room(agenda)) {
        if (at_ms < agenda->rest_ms) agenda->rest_ms = at_ms;
        return;
    }
    struct rv_agenda_item *item = &agenda->items[agenda->count++];
    item->at_ms = at_ms;
    (void)snprintf(item->queue, sizeof item->queue, "%s", queue);
}

int64_t rv_agenda_next_ms(const struct rv_agenda *agenda) {
    int64_t next_ms = INT64_MAX;
    for (size_t i = 0; i < agenda->count; i++)
        if (agenda->items[i].at_ms < next_ms) next_ms = agenda->items[i].at_ms;
    return next_ms;
}

bool rv_agenda_take(struct rv_agenda *agenda, int64_t now_ms, char queue[REEVE_NAME_SIZE]) {
    for (size_t i = 0; i < agenda->count; i++) {
        if (agenda->items[i].at_ms > now_ms) continue;
        memcpy(queue, agenda->items[i].queue, REEVE_NAME_SIZE);
        agenda->items[i] = agenda->items[--agenda->count];
        return true;
    }
    return false;
}
