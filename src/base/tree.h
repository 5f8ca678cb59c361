/* An ordered set of embedded nodes: a treap. Adding never allocates; every step is O(log n) as
 * expected. */
#ifndef RV_BASE_TREE_H
#define RV_BASE_TREE_H

#include <stdbool.h>
#include <stdint.h>

/* Ordered by major, then minor. No two nodes of one tree have the same pair. */
struct rv_tree_node {
    int64_t major;
    uint64_t minor;
    struct rv_tree_node *parent, *left, *right;
    uint32_t weight; /* never smaller than a child's; what keeps the tree balanced */
};

struct rv_tree { /* zeroed is empty */
    struct rv_tree_node *root;
    uint32_t random; /* where the weights come from */
};

void rv_tree_add(struct rv_tree *tree, struct rv_tree_node *node, int64_t major, uint64_t minor);
void rv_tree_remove(struct rv_tree *tree, struct rv_tree_node *node); /* which is in it */

/* NULL if there is none. */
struct rv_tree_node *rv_tree_first(const struct rv_tree *tree);
struct rv_tree_node *rv_tree_find(const struct rv_tree *tree, int64_t major, uint64_t minor);
/* The first that comes after the pair, whether or not that is in the tree. */
struct rv_tree_node *rv_tree_after(const struct rv_tree *tree, int64_t major, uint64_t minor);

#endif
