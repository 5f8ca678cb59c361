/* base/tree: an ordered set of embedded nodes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "base/tree.h"

enum { COUNT = 2000 };

static void an_empty_tree_has_nothing(void **state) {
    (void)state;
    struct rv_tree tree = {0};
    assert_null(rv_tree_first(&tree));
    assert_null(rv_tree_find(&tree, 0, 0));
    assert_null(rv_tree_after(&tree, INT64_MIN, 0));
}

static void order_is_by_major_then_minor(void **state) {
    (void)state;
    struct rv_tree tree = {0};
    struct rv_tree_node late, low, high, last;
    rv_tree_add(&tree, &last, INT64_MAX, UINT64_MAX);
    rv_tree_add(&tree, &high, -8, UINT64_MAX);
    rv_tree_add(&tree, &late, 7, 0);
    rv_tree_add(&tree, &low, -8, 1);
    assert_ptr_equal(rv_tree_first(&tree), &low);
    assert_ptr_equal(rv_tree_after(&tree, -8, 1), &high);
    assert_ptr_equal(rv_tree_after(&tree, -8, UINT64_MAX), &late);
    assert_ptr_equal(rv_tree_after(&tree, 7, 0), &last);
    assert_null(rv_tree_after(&tree, INT64_MAX, UINT64_MAX));
}

static void a_pair_that_is_not_there_still_has_what_comes_after(void **state) {
    (void)state;
    struct rv_tree tree = {0};
    struct rv_tree_node ten, twenty;
    rv_tree_add(&tree, &twenty, 0, 20);
    rv_tree_add(&tree, &ten, 0, 10);
    assert_null(rv_tree_find(&tree, 0, 15));
    assert_ptr_equal(rv_tree_find(&tree, 0, 10), &ten);
    assert_ptr_equal(rv_tree_after(&tree, 0, 15), &twenty);
    assert_ptr_equal(rv_tree_after(&tree, -1, 99), &ten);
}

static int depth(const struct rv_tree_node *node) {
    if (!node) return 0;
    int left = depth(node->left), right = depth(node->right);
    return 1 + (left > right ? left : right);
}

static void check_links(const struct rv_tree_node *node) {
    if (!node) return;
    if (node->left) assert_ptr_equal(node->left->parent, node);
    if (node->right) assert_ptr_equal(node->right->parent, node);
    if (node->left) assert_true(node->left->weight <= node->weight);
    if (node->right) assert_true(node->right->weight <= node->weight);
    check_links(node->left);
    check_links(node->right);
}

/* in: which of COUNT numbers are in the tree, of which node i has major i. */
static void check_walk(const struct rv_tree *tree, const struct rv_tree_node *nodes,
                       const char *in) {
    int64_t at = INT64_MIN;
    for (int i = 0; i < COUNT; i++) {
        if (!in[i]) continue;
        const struct rv_tree_node *next = rv_tree_after(tree, at, 0);
        assert_ptr_equal(next, &nodes[i]);
        at = next->major;
    }
    assert_null(rv_tree_after(tree, at, 0));
    check_links(tree->root);
}

/* Adds and removes in an order of its own, and compares with a plain table. */
static void it_agrees_with_a_table(void **state) {
    (void)state;
    static struct rv_tree_node nodes[COUNT];
    static char in[COUNT];
    struct rv_tree tree = {0};
    uint64_t random = 42;
    for (int step = 0; step < 20 * COUNT; step++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        int i = (int)(random >> 33) % COUNT;
        if (in[i])
            rv_tree_remove(&tree, &nodes[i]);
        else
            rv_tree_add(&tree, &nodes[i], i, 0);
        in[i] = !in[i];
        if (step % 2000 == 0) check_walk(&tree, nodes, in);
    }
    check_walk(&tree, nodes, in);
}

static void adding_in_order_does_not_make_it_deep(void **state) {
    (void)state;
    static struct rv_tree_node nodes[COUNT];
    struct rv_tree tree = {0};
    for (int i = 0; i < COUNT; i++)
        rv_tree_add(&tree, &nodes[i], i, 0);
    assert_true(depth(tree.root) < 40); /* 2 * ln(2000) = 15 on average; a list would be 2000 */
    for (int i = 0; i < COUNT; i++) {
        assert_ptr_equal(rv_tree_first(&tree), &nodes[i]);
        rv_tree_remove(&tree, &nodes[i]);
    }
    assert_null(tree.root);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_tree_has_nothing),
        cmocka_unit_test(order_is_by_major_then_minor),
        cmocka_unit_test(a_pair_that_is_not_there_still_has_what_comes_after),
        cmocka_unit_test(it_agrees_with_a_table),
        cmocka_unit_test(adding_in_order_does_not_make_it_deep),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
