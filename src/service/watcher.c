#include "service/watcher.h"

#include <stdlib.h>
#include <string.h>

#include "base/signal.h"
#include "base/thread.h"
#include "core/limits.h"
#include "service/listener.h"

enum {
    LOOK_MS = 1000, /* for new queues; also keeps the watched ones writing (RV_WATCHED_MS) */
    HEARD = 1,
    STOP = 2,
};

/* A queue that is watched. */
struct watched {
    struct rv_list link; /* in watcher.queues */
    char queue[REEVE_NAME_SIZE];
    struct rv_interest interest;
    uint64_t after; /* where we are in its events */
};

struct rv_watcher {
    struct rv_service *service;
    struct rv_listener *listener;
    reeve_event_fn *fn;
    void *arg;
    struct rv_signal signal;
    pthread_t thread;
    bool all;              /* queues, and those to come */
    uint64_t failovers;    /* that were told */
    bool away;             /* the store did not answer, and that was said */
    struct rv_list queues; /* of struct watched; the thread's own once it runs */
};

static struct watched *watched_of(struct rv_list *link) {
    return rv_container_of(link, struct watched, link);
}

static struct watched *find(struct rv_watcher *w, const char *queue) {
    for (struct rv_list *link = w->queues.next; link != &w->queues; link = link->next) {
        if (!strcmp(watched_of(link)->queue, queue)) return watched_of(link);
    }
    return NULL;
}

/* From where its events stand now. */
static int watch(struct rv_watcher *w, const char *queue, struct rv_error *err) {
    struct rv_events now;
    int rc = rv_store_events(w->service->store, queue, UINT64_MAX, &now, err);
    if (rc) return rc;
    free(now.events);
    struct watched *watched = calloc(1, sizeof *watched);
    if (!watched) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    memcpy(watched->queue, queue, strlen(queue) + 1); /* a checked name: it fits */
    watched->after = now.after;
    watched->interest = (struct rv_interest){
        .queue = watched->queue,
        .what = RV_HEAR_EVENTS,
        .signal = &w->signal,
        .raise = HEARD,
    };
    rv_list_add_tail(&w->queues, &watched->link);
    rv_listener_add(w->listener, &watched->interest);
    return 0;
}

/* Watches leaders, and the queues that have come into being. */
static int watch_new(struct rv_watcher *w, struct rv_error *err) {
    char after[REEVE_NAME_SIZE] = "";
    size_t count;
    int rc;
    if (rv_store_caps(w->service->store) & RV_CAP_GRANTS && !find(w, RV_NAMES)) {
        rc = watch(w, RV_NAMES, err);
        if (rc) return rc;
    }
    do {
        struct rv_names names;
        rc = rv_store_queues(w->service->store, after[0] ? after : NULL, RV_LIST_MAX, &names, err);
        if (rc) return rc;
        count = names.count;
        for (size_t i = 0; !rc && i < count; i++) {
            if (!find(w, names.names[i])) rc = watch(w, names.names[i], err);
        }
        if (count) memcpy(after, names.names[count - 1], sizeof after);
        free(names.names);
    } while (!rc && count == RV_LIST_MAX);
    return rc;
}

static int tell(struct rv_watcher *w, struct watched *watched, struct rv_error *err) {
    struct rv_events page;
    do {
        int rc = rv_store_events(w->service->store, watched->queue, watched->after, &page, err);
        if (rc) return rc;
        for (size_t i = 0; i < page.count; i++)
            w->fn(w->arg, &page.events[i]);
        watched->after = page.after;
        free(page.events);
    } while (page.count == RV_EVENTS_MAX);
    return 0;
}

/* What this handle has noticed itself: no store is told of its own servers. */
static void tell_failovers(struct rv_watcher *w) {
    struct rv_failover failover;
    while (rv_store_failover(w->service->store, w->failovers, &failover) && failover.number) {
        const struct reeve_event event = {.type = REEVE_STORE_FAILOVER,
                                          .at_ms = failover.at_ms,
                                          .queue = "",
                                          .id = "",
                                          .from = failover.from,
                                          .to = failover.to,
                                          .took_ms = failover.took_ms};
        w->failovers = failover.number;
        w->fn(w->arg, &event);
    }
}

/* Those before now are not for this watch. */
static void pass_over_failovers(struct rv_watcher *w) {
    struct rv_failover failover;
    while (rv_store_failover(w->service->store, w->failovers, &failover) && failover.number)
        w->failovers = failover.number;
}

/* One look at all of them. A store that is away is mentioned once. */
static void look(struct rv_watcher *w) {
    struct rv_error err = {0};
    char text[RV_QUOTED_SIZE];
    int rc = w->all ? watch_new(w, &err) : 0;
    for (struct rv_list *link = w->queues.next; !rc && link != &w->queues; link = link->next)
        rc = tell(w, watched_of(link), &err);
    if (rc && !w->away)
        rv_log(&w->service->log, REEVE_LOG_WARN, "watch.away", "error=%s text=%s",
               reeve_errname(rc), rv_log_quote(text, err.text));
    w->away = rc;
    tell_failovers(w);
}

static void *run(void *arg) {
    struct rv_watcher *w = arg;
    while (!(rv_signal_wait(&w->signal, LOOK_MS) & STOP))
        look(w);
    return NULL;
}

static void destroy(struct rv_watcher *w) {
    for (struct rv_list *link = w->queues.next; link != &w->queues;) {
        struct watched *watched = watched_of(link);
        link = link->next;
        rv_listener_remove(w->listener, &watched->interest);
        free(watched);
    }
    rv_signal_release(&w->signal);
    free(w);
}

int rv_watcher_open(struct rv_watcher **out, struct rv_service *service, const char *queue,
                    reeve_event_fn *fn, void *arg, struct rv_error *err) {
    *out = NULL;
    struct rv_watcher *w = calloc(1, sizeof *w);
    if (!w) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    if (rv_signal_init(&w->signal)) {
        free(w);
        return rv_fail(err, REEVE_ENOMEM, "out of memory");
    }
    w->service = service;
    w->fn = fn;
    w->arg = arg;
    w->all = !queue;
    rv_list_init(&w->queues);
    pass_over_failovers(w);
    int rc = rv_service_listener(service, &w->listener, err);
    if (!rc) rc = queue ? watch(w, queue, err) : watch_new(w, err);
    if (!rc && rv_thread_start(&w->thread, run, w))
        rc = rv_fail(err, REEVE_ENOMEM, "cannot start the watcher's thread");
    if (rc)
        destroy(w);
    else
        *out = w;
    return rc;
}

void rv_watcher_close(struct rv_watcher *w) {
    if (!w) return;
    rv_signal_raise(&w->signal, STOP);
    (void)pthread_join(w->thread, NULL);
    destroy(w);
}
