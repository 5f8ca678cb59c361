/* base/map: strings to embedded nodes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "base/list.h"
#include "base/map.h"

struct item {
    struct rv_map_node node;
    char key[24];
};

static const struct item *get(const struct rv_map *map, const char *key) {
    struct rv_map_node *node = rv_map_get(map, key);
    return node ? rv_container_of(node, struct item, node) : NULL;
}

static void an_empty_map_knows_nothing(void **state) {
    (void)state;
    struct rv_map map = {0};
    assert_null(rv_map_get(&map, ""));
    assert_null(rv_map_get(&map, "a"));
    rv_map_release(&map);
}

static void what_is_added_is_found_until_it_is_removed(void **state) {
    (void)state;
    struct rv_map map = {0};
    struct item a = {.key = "a"}, empty = {.key = ""};
    assert_int_equal(rv_map_add(&map, &a.node, a.key), 0);
    assert_int_equal(rv_map_add(&map, &empty.node, empty.key), 0);
    assert_ptr_equal(get(&map, "a"), &a);
    assert_ptr_equal(get(&map, ""), &empty);
    assert_null(get(&map, "aa"));
    rv_map_remove(&map, &a.node);
    assert_null(get(&map, "a"));
    assert_ptr_equal(get(&map, ""), &empty);
    assert_int_equal(map.count, 1);
    rv_map_release(&map);
}

/* Large enough to grow many times, and to have nodes share buckets. */
static void many_keys_are_kept_apart_while_the_map_grows(void **state) {
    (void)state;
    enum { COUNT = 5000 };
    static struct item items[COUNT];
    struct rv_map map = {0};
    for (int i = 0; i < COUNT; i++) {
        (void)snprintf(items[i].key, sizeof items[i].key, "key %d", i);
        assert_int_equal(rv_map_add(&map, &items[i].node, items[i].key), 0);
    }
    assert_true(map.bucket_count >= COUNT);
    for (int i = 0; i < COUNT; i += 2)
        rv_map_remove(&map, &items[i].node);
    for (int i = 0; i < COUNT; i++)
        assert_ptr_equal(get(&map, items[i].key), i % 2 ? &items[i] : NULL);
    assert_int_equal(map.count, COUNT / 2);
    rv_map_release(&map);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_map_knows_nothing),
        cmocka_unit_test(what_is_added_is_found_until_it_is_removed),
        cmocka_unit_test(many_keys_are_kept_apart_while_the_map_grows),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("map", tests, NULL, NULL);
}
