#include "work/spares.h"

#include <assert.h>

void rv_spares_init(struct rv_spares *spares, struct rv_service *service,
                    const struct rv_drain *drain) {
    *spares = (struct rv_spares){.service = service, .drain = drain};
    rv_list_init(&spares->tasks);
}

void rv_spares_release(struct rv_spares *spares) {
    while (spares->count)
        rv_task_destroy(rv_spares_take(spares));
}

int rv_spares_ensure(struct rv_spares *spares, size_t count) {
    while (spares->count < count) {
        struct reeve_task *task = rv_task_create(spares->service, spares->drain);
        if (!task) return REEVE_ENOMEM;
        rv_list_add_tail(&spares->tasks, &task->link);
        spares->count++;
    }
    return 0;
}

struct reeve_task *rv_spares_take(struct rv_spares *spares) {
    struct rv_list *link = rv_list_pop(&spares->tasks);
    assert(link);
    spares->count--;
    return rv_container_of(link, struct reeve_task, link);
}
