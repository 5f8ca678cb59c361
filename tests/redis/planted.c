#include "redis/planted.h"

#include <string.h>

#include "redis/snapshot.h"

/* A set: no key of ours is one. */
static void plant(struct line *line, const char *key) {
    (void)COMMAND(line, "DEL", key);
    (void)COMMAND(line, "SADD", key, "m");
}

/* It failed, so it has named the key and changed nothing. */
static bool is_refused(struct patient *p, const char *key, const struct planted_op *op, int rc,
                       const struct snapshot *before) {
    struct snapshot after = snapshot_take(p->line);
    const char *changed = op->in_two_steps ? NULL : snapshot_differs(p->line, before, &after);
    bool named = strstr(p->line->err.text, key) != NULL;
    if (rc != REEVE_ECORRUPT || !named)
        print_error("%s: %s\n", reeve_errname(rc), p->line->err.text);
    if (changed) print_error("%s has changed\n", changed);
    snapshot_release(&after);
    return rc == REEVE_ECORRUPT && named && !changed;
}

/* It went well, so it has nothing to do with the key; with that as it was, all is sound. */
static bool is_harmless(struct patient *p, const char *key, const struct snapshot *whole) {
    snapshot_restore_key(p->line, whole, key);
    return is_sound(p->line, p->store);
}

/* Counts the operation as refused, or as wrong. */
static void try_op(struct patient *p, const char *key, const struct planted_op *op,
                   const struct snapshot *whole, size_t *refused, size_t *wrong) {
    snapshot_restore(p->line, whole);
    plant(p->line, key);
    struct snapshot before = snapshot_take(p->line);
    int rc = op->run(p);
    bool right = rc ? is_refused(p, key, op, rc, &before) : is_harmless(p, key, whole);
    if (!right) print_error("... after %s on %s\n", op->name, key);
    *refused += rc != 0;
    *wrong += !right;
    snapshot_release(&before);
}

void planted_try(void **state, void (*fill)(struct patient *p), const struct planted_op *ops,
                 size_t count, size_t ops_min) {
    struct patient p = {.line = *state};
    size_t refused = 0, wrong = 0, tried = 0;
    start_queue(p.line, "");
    p.store = open_store(p.line);
    fill(&p);
    struct snapshot whole = snapshot_take(p.line);
    for (size_t i = 0; i < count; i++) {
        snapshot_restore(p.line, &whole);
        if (ops[i].run(&p)) continue; /* makes no sense here */
        tried++;
        for (size_t k = 0; k < whole.count; k++)
            try_op(&p, whole.names->element[k]->str, &ops[i], &whole, &refused, &wrong);
    }
    print_message("# %zu operations, %zu keys, %zu refused\n", tried, whole.count, refused);
    CHECK_BETWEEN(tried, ops_min, count);
    CHECK_INT(wrong, 0);
    CHECK(refused > tried);
    snapshot_release(&whole);
    rv_store_close(p.store);
}
