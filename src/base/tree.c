#include "base/tree.h"

#include <stddef.h>

static uint32_t next_weight(struct rv_tree *tree) {
    uint32_t x = tree->random ? tree->random : 0x9e3779b9;
    x ^= x << 13; /* xorshift: balance needs spread, not secrecy */
    x ^= x >> 17;
    x ^= x << 5;
    return tree->random = x;
}

static int compare(const struct rv_tree_node *node, int64_t major, uint64_t minor) {
    if (node->major != major) return node->major < major ? -1 : 1;
    return (node->minor > minor) - (node->minor < minor);
}

/* The pointer that points to node. */
static struct rv_tree_node **link_to(struct rv_tree *tree, struct rv_tree_node *node) {
    if (!node->parent) return &tree->root;
    return node->parent->left == node ? &node->parent->left : &node->parent->right;
}

/* Swaps node with its parent, order kept. */
static void rotate_up(struct rv_tree *tree, struct rv_tree_node *node) {
    struct rv_tree_node *parent = node->parent, *moved;
    *link_to(tree, parent) = node;
    node->parent = parent->parent;
    if (parent->left == node) {
        moved = parent->left = node->right;
        node->right = parent;
    } else {
        moved = parent->right = node->left;
        node->left = parent;
    }
    if (moved) moved->parent = parent;
    parent->parent = node;
}

void rv_tree_add(struct rv_tree *tree, struct rv_tree_node *node, int64_t major, uint64_t minor) {
    *node = (struct rv_tree_node){.major = major, .minor = minor, .weight = next_weight(tree)};
    struct rv_tree_node **link = &tree->root;
    while (*link) {
        node->parent = *link;
        link = compare(*link, major, minor) > 0 ? &(*link)->left : &(*link)->right;
    }
    *link = node;
    while (node->parent && node->parent->weight < node->weight)
        rotate_up(tree, node);
}

void rv_tree_remove(struct rv_tree *tree, struct rv_tree_node *node) {
    while (node->left && node->right)
        rotate_up(tree, node->left->weight > node->right->weight ? node->left : node->right);
    struct rv_tree_node *child = node->left ? node->left : node->right;
    if (child) child->parent = node->parent;
    *link_to(tree, node) = child;
    node->parent = node->left = node->right = NULL;
}

struct rv_tree_node *rv_tree_first(const struct rv_tree *tree) {
    struct rv_tree_node *node = tree->root;
    while (node && node->left)
        node = node->left;
    return node;
}

struct rv_tree_node *rv_tree_find(const struct rv_tree *tree, int64_t major, uint64_t minor) {
    struct rv_tree_node *node = tree->root;
    for (int order; node && (order = compare(node, major, minor)) != 0;)
        node = order > 0 ? node->left : node->right;
    return node;
}

struct rv_tree_node *rv_tree_after(const struct rv_tree *tree, int64_t major, uint64_t minor) {
    struct rv_tree_node *after = NULL;
    for (struct rv_tree_node *node = tree->root; node;) {
        if (compare(node, major, minor) > 0) {
            after = node;
            node = node->left;
        } else {
            node = node->right;
        }
    }
    return after;
}
