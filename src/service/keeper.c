#include "service/keeper.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cond.h"
#include "base/thread.h"
#include "core/check.h"
#include "core/limits.h"

enum {
    LOOK = 1,           /* something is due earlier than it was */
    RESIGN = 2,         /* somebody is asked to give up a name */
    ALL = 4,            /* whatever there is */
    FIRST_BIT = 8,      /* cancellations raise the bits from here on */
    CANCEL_GAP_MS = 20, /* a thousand cancellations are not a thousand renewals */
    TOGETHER_MAX = 32,  /* queues of one call */
    EARLY_PART = 8,     /* of the time between renewals: so early one goes along with others */
};

struct rv_keeper {
    struct rv_store *store;
    const struct rv_clock *clock;
    struct rv_listener *listener;
    int64_t timeout_ms;
    struct rv_signal signal;
    pthread_t thread;

    pthread_mutex_t lock; /* guards all below and what hangs on it; never held during I/O */
    pthread_cond_t idle;  /* nobody is busy, or a book not any more */
    struct rv_list kept;
    struct rv_list books;     /* of rv_tenures */
    struct rv_tenures grants; /* the first of them */
    int64_t wakes_at_ms;
    uint64_t round;
    unsigned added;
    bool stopping;

    /* The thread's own: */
    struct rv_renewal batch[RV_RENEW_MAX];
    struct rv_renewing parts[TOGETHER_MAX]; /* the batch, queue by queue */
    struct rv_kept *of[TOGETHER_MAX];
};

/* ---- one renewal ---- */

static struct rv_kept *kept_of(struct rv_list *link) {
    return rv_container_of(link, struct rv_kept, link);
}

/* Claims of kept that this round has not renewed, as many as there is room for. */
static size_t collect(struct rv_keeper *k, struct rv_kept *kept, struct rv_renewal *batch,
                      size_t room) {
    size_t count = 0;
    for (struct rv_list *at = kept->claims.next; at != &kept->claims; at = at->next) {
        struct rv_claim *claim = rv_container_of(at, struct rv_claim, link);
        if (claim->round == k->round) continue;
        if (count == room) break;
        claim->round = k->round;
        batch[count++] = (struct rv_renewal){
            .holder = claim->holder, .token = claim->token, .lease_ms = claim->lease_ms};
    }
    return count;
}

/* The next call: of all queues that are being renewed. Returns of how many. */
static size_t collect_parts(struct rv_keeper *k) {
    size_t parts = 0, from = 0;
    for (struct rv_list *at = k->kept.next; at != &k->kept && parts < TOGETHER_MAX; at = at->next) {
        struct rv_kept *kept = kept_of(at);
        if (!kept->busy || kept->leaving || kept->failed) continue;
        size_t count = collect(k, kept, k->batch + from, RV_RENEW_MAX - from);
        if (!count) continue;
        k->of[parts] = kept;
        k->parts[parts++] =
            (struct rv_renewing){.queue = kept->queue,
                                 .claims = k->batch + from,
                                 .count = count,
                                 .timeout_ms = rv_lease_call_ms(k->timeout_ms, kept->lease_ms)};
        from += count;
    }
    return parts;
}

/* The last job of a claim may have been handed in while this renewal was on its way: then nobody is
 * left to look at the mark. */
static void lose(struct rv_kept *kept, struct rv_claim *claim) {
    rv_list_remove(&claim->link); /* whoever has it now: there is nothing left to renew */
    for (struct rv_list *at = claim->holds.next; at != &claim->holds; at = at->next)
        rv_hold_mark(rv_container_of(at, struct rv_hold, link), RV_MARK_LOST);
    rv_signal_raise(kept->signal, kept->raise);
}

static void cancel(struct rv_claim *claim, const struct rv_cancel_marks *marks) {
    for (size_t i = 0; i < marks->count; i++) {
        if (marks->marks[i].holder != claim->holder) continue;
        for (struct rv_list *at = claim->holds.next; at != &claim->holds; at = at->next) {
            struct rv_hold *hold = rv_container_of(at, struct rv_hold, link);
            if (!strcmp(hold->id, marks->marks[i].id) && !rv_hold_marked(hold, RV_MARK_CANCELLED))
                rv_hold_mark(hold, RV_MARK_CANCELLED);
        }
    }
}

/* Tells the claims of a part what became of them. Some may have left meanwhile; those that are
 * there stand in the order of the batch. */
static void apply(struct rv_kept *kept, const struct rv_renewing *part, int64_t sent_ms) {
    struct rv_list *at = kept->claims.next;
    for (size_t i = 0; at != &kept->claims && i < part->count;) {
        struct rv_claim *claim = rv_container_of(at, struct rv_claim, link);
        struct rv_list *next = at->next;
        size_t found = i;
        while (found < part->count && part->claims[found].holder != claim->holder)
            found++;
        if (found < part->count) {
            i = found + 1;
            cancel(claim, &part->marks);
            if (part->claims[found].lost)
                lose(kept, claim);
            else if (part->claims[found].missed)
                kept->missed = true;
            else
                rv_claim_good(claim, sent_ms);
        }
        at = next;
    }
}

/* One call. The lock is held, and released during the call. */
static void renew_parts(struct rv_keeper *k, size_t count) {
    int64_t sent_ms = rv_clock_boot_ms(k->clock);
    (void)pthread_mutex_unlock(&k->lock);
    rv_store_renew_all(k->store, k->parts, count);
    (void)pthread_mutex_lock(&k->lock);
    for (size_t i = 0; i < count; i++) {
        if (k->parts[i].rc)
            k->of[i]->failed = true;
        else
            apply(k->of[i], &k->parts[i], sent_ms);
        free(k->parts[i].marks.marks);
    }
}

/* A failed renewal is tried again a few times before the next would be due. */
static int64_t retry_ms(int64_t renew_ms) {
    return renew_ms / 8 + rv_random_below(&rv_random_system, renew_ms / 8 + 1) + 1;
}

/* Does it go along with first, which is due? So it does a little early: that spares a call, and
 * nobody waits for the servers of others. One call has one time-out: leases of one length. */
static bool goes_along(const struct rv_kept *kept, const struct rv_kept *first, int64_t now_ms) {
    if (kept->leaving || kept->due_ms == INT64_MAX || kept->lease_ms != first->lease_ms)
        return false;
    return kept->due_ms <= rv_time_add(now_ms, kept->renew_ms / EARLY_PART);
}

static void end_renewal(struct rv_keeper *k, struct rv_kept *kept) {
    if (kept->failed || kept->missed)
        kept->due_ms = rv_time_add(rv_clock_boot_ms(k->clock), retry_ms(kept->renew_ms));
    else if (rv_list_empty(&kept->claims))
        kept->due_ms = INT64_MAX;
    else
        kept->due_ms = rv_time_add(kept->sent_ms, kept->renew_ms);
    kept->busy = false;
}

static void renew(struct rv_keeper *k, const struct rv_kept *first) {
    size_t count;
    int64_t now_ms = rv_clock_boot_ms(k->clock);
    k->round++;
    for (struct rv_list *at = k->kept.next; at != &k->kept; at = at->next) {
        struct rv_kept *kept = kept_of(at);
        kept->busy = kept == first || goes_along(kept, first, now_ms);
        if (!kept->busy) continue;
        kept->failed = kept->missed = false;
        kept->sent_ms = now_ms;
    }
    while ((count = collect_parts(k)) > 0)
        renew_parts(k, count);
    for (struct rv_list *at = k->kept.next; at != &k->kept; at = at->next)
        if (kept_of(at)->busy) end_renewal(k, kept_of(at));
    (void)pthread_cond_broadcast(&k->idle);
}

/* One call for all of a book that are due. The lock is held, and released during the call. */
static void renew_tenures(struct rv_keeper *k, struct rv_tenures *book) {
    struct rv_error err;
    int64_t sent_ms = rv_clock_boot_ms(k->clock);
    size_t count = rv_tenures_collect(book, sent_ms);
    if (!count) return;
    book->busy = true;
    int64_t timeout_ms = rv_lease_call_ms(k->timeout_ms, book->shortest_ms);
    (void)pthread_mutex_unlock(&k->lock);
    int rc = rv_tenures_send(book, k->store, count, timeout_ms, &err);
    (void)pthread_mutex_lock(&k->lock);
    rv_tenures_apply(book, count, !rc, sent_ms, rv_clock_boot_ms(k->clock));
    book->busy = false;
    (void)pthread_cond_broadcast(&k->idle);
}

/* ---- the thread ---- */

static struct rv_kept *next_due(struct rv_keeper *k) {
    struct rv_kept *first = NULL;
    for (struct rv_list *at = k->kept.next; at != &k->kept; at = at->next) {
        struct rv_kept *kept = rv_container_of(at, struct rv_kept, link);
        if (!kept->leaving && (!first || kept->due_ms < first->due_ms)) first = kept;
    }
    return first;
}

static struct rv_tenures *book_of(struct rv_list *link) {
    return rv_container_of(link, struct rv_tenures, link);
}

static struct rv_tenures *next_book(struct rv_keeper *k, int64_t *due_ms) {
    struct rv_tenures *first = NULL;
    *due_ms = INT64_MAX;
    for (struct rv_list *at = k->books.next; at != &k->books; at = at->next) {
        int64_t ms = rv_tenures_due_ms(book_of(at));
        if (ms >= *due_ms) continue;
        *due_ms = ms;
        first = book_of(at);
    }
    return first;
}

/* A cancellation reaches its handler by a renewal: now, not when the next is due. */
static void hasten(struct rv_keeper *k, unsigned bits) {
    int64_t now_ms = rv_clock_boot_ms(k->clock);
    for (struct rv_list *at = k->books.next; bits & (RESIGN | ALL) && at != &k->books;
         at = at->next)
        rv_tenures_hasten(book_of(at), now_ms);
    for (struct rv_list *at = k->kept.next; at != &k->kept; at = at->next) {
        struct rv_kept *kept = rv_container_of(at, struct rv_kept, link);
        if (!(bits & (kept->bit | ALL)) || rv_list_empty(&kept->claims)) continue;
        int64_t soon_ms = rv_time_add(kept->sent_ms, CANCEL_GAP_MS);
        if (soon_ms < now_ms) soon_ms = now_ms;
        if (soon_ms < kept->due_ms) kept->due_ms = soon_ms;
    }
}

/* Renews all that is due; returns how long there is nothing to do, -1: until something changes. */
static int64_t renew_due(struct rv_keeper *k) {
    for (;;) {
        struct rv_kept *kept = next_due(k);
        int64_t kept_ms = kept ? kept->due_ms : INT64_MAX;
        int64_t tenures_ms;
        struct rv_tenures *book = next_book(k, &tenures_ms);
        k->wakes_at_ms = tenures_ms < kept_ms ? tenures_ms : kept_ms;
        if (k->wakes_at_ms == INT64_MAX) return -1;
        int64_t left_ms = k->wakes_at_ms - rv_clock_boot_ms(k->clock);
        if (left_ms > 0) return left_ms;
        if (k->stopping) return 0;
        if (book && tenures_ms <= kept_ms)
            renew_tenures(k, book);
        else if (kept)
            renew(k, kept);
    }
}

static void *keep(void *arg) {
    struct rv_keeper *k = arg;
    (void)pthread_mutex_lock(&k->lock);
    while (!k->stopping) {
        int64_t wait_ms = renew_due(k);
        if (k->stopping) break;
        (void)pthread_mutex_unlock(&k->lock);
        unsigned bits = rv_signal_wait(&k->signal, wait_ms);
        (void)pthread_mutex_lock(&k->lock);
        hasten(k, bits);
    }
    (void)pthread_mutex_unlock(&k->lock);
    return NULL;
}

/* ---- for the workers ---- */

static void release(struct rv_keeper *k) {
    (void)pthread_cond_destroy(&k->idle);
    (void)pthread_mutex_destroy(&k->lock);
    rv_signal_release(&k->signal);
    free(k);
}

static int init(struct rv_keeper *k) {
    rv_list_init(&k->kept);
    rv_list_init(&k->books);
    rv_tenures_init(&k->grants, NULL);
    rv_list_add_tail(&k->books, &k->grants.link);
    k->wakes_at_ms = INT64_MAX;
    if (rv_signal_init(&k->signal)) return REEVE_ENOMEM;
    if (!pthread_mutex_init(&k->lock, NULL)) {
        if (!rv_cond_init(&k->idle)) return 0;
        (void)pthread_mutex_destroy(&k->lock);
    }
    rv_signal_release(&k->signal);
    return REEVE_ENOMEM;
}

int rv_keeper_start(struct rv_keeper **out, struct rv_store *store, const struct rv_clock *clock,
                    int64_t timeout_ms, struct rv_listener *listener, struct rv_error *err) {
    struct rv_keeper *k = calloc(1, sizeof *k);
    if (!k || init(k)) {
        free(k);
        return rv_fail(err, REEVE_ENOMEM, "no memory for the keeper");
    }
    k->store = store;
    k->clock = clock;
    k->timeout_ms = timeout_ms;
    k->listener = listener;
    if (rv_thread_start(&k->thread, keep, k)) {
        release(k);
        return rv_fail(err, REEVE_ENOMEM, "cannot start the keeper's thread");
    }
    *out = k;
    return 0;
}

void rv_keeper_stop(struct rv_keeper *k) {
    if (!k) return;
    (void)pthread_mutex_lock(&k->lock);
    assert(rv_list_empty(&k->kept) && rv_list_empty(&k->grants.list));
    k->stopping = true;
    (void)pthread_mutex_unlock(&k->lock);
    rv_signal_raise(&k->signal, LOOK);
    (void)pthread_join(k->thread, NULL);
    release(k);
}

void rv_keeper_add(struct rv_keeper *k, struct rv_kept *kept) {
    rv_list_init(&kept->claims);
    kept->due_ms = INT64_MAX;
    kept->leaving = kept->busy = false;
    (void)pthread_mutex_lock(&k->lock);
    kept->bit = 1u << (FIRST_BIT + k->added++ % (32 - FIRST_BIT));
    rv_list_add_tail(&k->kept, &kept->link);
    (void)pthread_mutex_unlock(&k->lock);
    kept->cancelled = (struct rv_interest){
        .queue = kept->queue, .what = RV_HEAR_CANCELLED, .signal = &k->signal, .raise = kept->bit};
    rv_listener_add(k->listener, &kept->cancelled);
}

void rv_keeper_remove(struct rv_keeper *k, struct rv_kept *kept) {
    rv_listener_remove(k->listener, &kept->cancelled);
    (void)pthread_mutex_lock(&k->lock);
    kept->leaving = true;
    while (kept->busy)
        rv_cond_wait(&k->idle, &k->lock, -1);
    assert(rv_list_empty(&kept->claims));
    rv_list_remove(&kept->link);
    (void)pthread_mutex_unlock(&k->lock);
}

void rv_keeper_hasten(struct rv_keeper *k) {
    rv_signal_raise(&k->signal, ALL);
}

void rv_keeper_take(struct rv_keeper *k, struct rv_kept *kept, struct rv_claim *claim,
                    int64_t sent_ms) {
    rv_claim_good(claim, sent_ms);
    (void)pthread_mutex_lock(&k->lock);
    rv_list_add_tail(&kept->claims, &claim->link);
    int64_t due_ms = rv_time_add(sent_ms, kept->renew_ms);
    if (due_ms < kept->due_ms) kept->due_ms = due_ms;
    bool earlier = kept->due_ms < k->wakes_at_ms;
    if (earlier) k->wakes_at_ms = kept->due_ms;
    (void)pthread_mutex_unlock(&k->lock);
    if (earlier) rv_signal_raise(&k->signal, LOOK);
}

void rv_keeper_release(struct rv_keeper *k, struct rv_hold *hold) {
    struct rv_claim *claim = hold->claim;
    (void)pthread_mutex_lock(&k->lock);
    rv_list_remove(&hold->link);
    bool last = rv_list_empty(&claim->holds);
    if (last) rv_list_remove(&claim->link);
    (void)pthread_mutex_unlock(&k->lock);
    if (last) free(claim);
}

/* ---- for those who hold names ---- */

void rv_keeper_open_book(struct rv_keeper *k, struct rv_tenures *book) {
    (void)pthread_mutex_lock(&k->lock);
    rv_list_add_tail(&k->books, &book->link);
    (void)pthread_mutex_unlock(&k->lock);
    book->asked = (struct rv_interest){.queue = book->group->name,
                                       .group = book->group,
                                       .what = RV_HEAR_CANCELLED,
                                       .signal = &k->signal,
                                       .raise = RESIGN};
    rv_listener_add(k->listener, &book->asked);
}

void rv_keeper_close_book(struct rv_keeper *k, struct rv_tenures *book) {
    rv_listener_remove(k->listener, &book->asked);
    (void)pthread_mutex_lock(&k->lock);
    assert(rv_list_empty(&book->list) && !book->busy);
    rv_list_remove(&book->link);
    (void)pthread_mutex_unlock(&k->lock);
}

static void hear_of_resigning(struct rv_keeper *k, struct rv_tenure *tenure) {
    tenure->asked = (struct rv_interest){.queue = tenure->name,
                                         .grant = tenure->kind,
                                         .what = RV_HEAR_CANCELLED,
                                         .signal = &k->signal,
                                         .raise = RESIGN};
    rv_listener_add(k->listener, &tenure->asked);
}

void rv_keeper_hold(struct rv_keeper *k, struct rv_tenure *tenure) {
    struct rv_tenures *book = tenure->book ? tenure->book : &k->grants;
    (void)pthread_mutex_lock(&k->lock);
    rv_list_add_tail(&book->list, &tenure->link);
    bool earlier = tenure->due_ms < k->wakes_at_ms;
    if (earlier) k->wakes_at_ms = tenure->due_ms;
    (void)pthread_mutex_unlock(&k->lock);
    if (!tenure->book) hear_of_resigning(k, tenure);
    if (earlier) rv_signal_raise(&k->signal, LOOK);
}

void rv_keeper_let_go(struct rv_keeper *k, struct rv_tenure *tenure) {
    struct rv_tenures *book = tenure->book ? tenure->book : &k->grants;
    if (!tenure->book) rv_listener_remove(k->listener, &tenure->asked);
    (void)pthread_mutex_lock(&k->lock);
    while (book->busy)
        rv_cond_wait(&k->idle, &k->lock, -1);
    rv_list_remove(&tenure->link);
    (void)pthread_mutex_unlock(&k->lock);
}
