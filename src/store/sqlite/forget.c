/* The statement walks over what the claim has, and asks of each job whether it is among those. */
#include "store/sqlite/forget.h"

#include <stdlib.h>
#include <string.h>

#define POINTER_TYPE "rv_named_jobs"

struct name {
    const char *id;
    bool *gone;
};

/* By id, and of the same id the first one first. */
struct names {
    struct name items[RV_CLAIM_MAX];
    size_t count;
};

static int by_id(const void *a, const void *b) {
    const struct name *left = a, *right = b;
    int order = strcmp(left->id, right->id);
    return order ? order : (left->gone > right->gone) - (left->gone < right->gone);
}

/* The first of that id, or NULL. */
static const struct name *find(const struct names *names, const char *id) {
    size_t from = 0, to = names->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (strcmp(names->items[middle].id, id) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    bool found = from < names->count && !strcmp(names->items[from].id, id);
    return found ? &names->items[from] : NULL;
}

/* is_named(P, id): asked once for each job, which goes if the answer is 1. */
static void is_named(sqlite3_context *context, int argc, sqlite3_value **argv) {
    (void)argc;
    const struct names *names = sqlite3_value_pointer(argv[0], POINTER_TYPE);
    const char *id = (const char *)sqlite3_value_text(argv[1]);
    const struct name *name = names && id ? find(names, id) : NULL;
    if (name) *name->gone = true;
    sqlite3_result_int(context, name != NULL);
}

int rv_sq_forget_register(sqlite3 *db) {
    return sqlite3_create_function_v2(db, "is_named", 2, SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL,
                                      is_named, NULL, NULL, NULL);
}

int rv_sq_forget(struct rv_sq_step *step, uint64_t holder, const struct rv_outcome *outcomes,
                 size_t count, bool *gone, struct rv_error *err) {
    struct names names = {.count = count};
    for (size_t i = 0; i < count; i++) {
        gone[i] = false;
        names.items[i] = (struct name){outcomes[i].id, &gone[i]};
    }
    qsort(names.items, count, sizeof *names.items, by_id);
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_EXCHANGE_FORGET_NAMED);
    rv_sq_bind_u64(&query, holder);
    rv_sq_bind_pointer(&query, &names, POINTER_TYPE);
    return rv_sq_run(&query, NULL, err);
}
