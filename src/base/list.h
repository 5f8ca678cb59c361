/* An intrusive doubly linked list; the head is a node of its own. */
#ifndef RV_BASE_LIST_H
#define RV_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct rv_list {
    struct rv_list *prev, *next;
};

#define rv_container_of(node, type, member) \
    ((type *)(void *)((char *)(node)-offsetof(type, member)))

static inline void rv_list_init(struct rv_list *list) {
    list->prev = list->next = list;
}

static inline bool rv_list_empty(const struct rv_list *list) {
    return list->next == list;
}

static inline void rv_list_add_tail(struct rv_list *list, struct rv_list *node) {
    node->prev = list->prev;
    node->next = list;
    list->prev->next = node;
    list->prev = node;
}

static inline void rv_list_add_head(struct rv_list *list, struct rv_list *node) {
    rv_list_add_tail(list->next, node);
}

/* Leaves node empty, so that removing it twice is harmless. */
static inline void rv_list_remove(struct rv_list *node) {
    node->prev->next = node->next;
    node->next->prev = node->prev;
    rv_list_init(node);
}

/* The first node, taken out, or NULL. */
static inline struct rv_list *rv_list_pop(struct rv_list *list) {
    if (rv_list_empty(list)) return NULL;
    struct rv_list *node = list->next;
    rv_list_remove(node);
    return node;
}

#endif
