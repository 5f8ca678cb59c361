#include "work/spares.h"

#include <assert.h>

void rv_spares_init(struct rv_spares *spares) {
    *spares = (struct rv_spares){0};
    rv_list_init(&spares->list);
}

void rv_spares_release(struct rv_spares *spares) {
    struct rv_list *link;
    while ((link = rv_list_pop(&spares->list)) != NULL)
        rv_task_destroy(rv_container_of(link, struct reeve_task, link));
}

bool rv_spares_ensure(struct rv_spares *spares, size_t count, struct rv_service *service,
                      const struct rv_drain *drain) {
    while (spares->count < count) {
        struct reeve_task *task = rv_task_create(service, drain);
        if (!task) return false;
        rv_list_add_tail(&spares->list, &task->link);
        spares->count++;
    }
    return true;
}

struct reeve_task *rv_spares_take(struct rv_spares *spares) {
    struct rv_list *link = rv_list_pop(&spares->list);
    assert(link); /* want never exceeds the spares */
    spares->count--;
    return rv_container_of(link, struct reeve_task, link);
}
