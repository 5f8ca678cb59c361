/* How an exchanger comes to be, and goes. */
#include <assert.h>
#include <stdlib.h>

#include "work/exchanger.h"

static int init_served(struct rv_exchanger *ex) {
    size_t count = 0;
    while (ex->options.queues[count])
        count++;
    assert(count > 0); /* of checked options */
    ex->served = calloc(count, sizeof *ex->served);
    ex->trades = calloc(count, sizeof *ex->trades);
    if (!ex->served || !ex->trades) return REEVE_ENOMEM;
    while (ex->served_count < count) {
        if (rv_served_init(&ex->served[ex->served_count], ex->options.queues[ex->served_count]))
            return REEVE_ENOMEM;
        ex->served_count++;
    }
    return ex->options.weights ? rv_shares_init(&ex->shares, ex->options.weights, count) : 0;
}

int rv_exchanger_init(struct rv_exchanger *ex, struct rv_service *service,
                      const struct rv_exchanger_options *options, struct rv_pool *pool,
                      struct rv_drain *drain, struct rv_error *err) {
    *ex = (struct rv_exchanger){
        .service = service, .options = *options, .pool = pool, .drain = drain};
    ex->outage.service = service;
    rv_spares_init(&ex->spares);
    rv_tally_init(&ex->tally, rv_clock_boot_ms(&service->clock));
    int rc = rv_service_listener(service, &ex->listener, err);
    if (!rc) rc = rv_service_keeper(service, &ex->keeper, err);
    if (rc) return rc;
    if (rv_signal_init(&ex->signal)) return rv_fail(err, REEVE_ENOMEM, "no memory for a worker");
    if (pthread_mutex_init(&ex->turn, NULL)) {
        rv_signal_release(&ex->signal);
        return rv_fail(err, REEVE_ENOMEM, "no memory for a worker");
    }
    if (init_served(ex)) {
        rv_exchanger_release(ex);
        return rv_fail(err, REEVE_ENOMEM, "no memory for a worker's queues");
    }
    rv_registry_init(&ex->registry, service, options->id, options->queues, (int)options->threads);
    rv_handlers_tell_kinds(options->handlers, ex->registry.row.kinds,
                           sizeof ex->registry.row.kinds);
    return 0;
}

void rv_exchanger_release(struct rv_exchanger *ex) {
    rv_spares_release(&ex->spares);
    for (size_t i = 0; i < ex->served_count; i++)
        rv_served_release(&ex->served[i]);
    free(ex->served);
    free(ex->trades);
    rv_shares_release(&ex->shares);
    (void)pthread_mutex_destroy(&ex->turn);
    rv_signal_release(&ex->signal);
}
