/* A race, as its file tells it:
 *
 *     # late-finish.race - what it is about
 *     first w0: push a                   steps that come before every order
 *     w1: c1 claim, f1 finish done       a session: named steps, each a verb and perhaps a word
 *     time: t recover
 *     order c1 t c2 f1!fenced f2         one order; "!word": what the step comes to, else the usual
 *     all                                every order that keeps each session's own
 *
 * The verbs, and what each may come to, stand in verbs.c. */
#ifndef RACES_SCRIPT_H
#define RACES_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

enum { WORD_SIZE = 32, STEPS_MAX = 16, SESSIONS_MAX = 8, ORDERS_MAX = 1000 };

struct step {
    char name[WORD_SIZE];
    size_t session;
    const struct verb *verb;
    char word[WORD_SIZE]; /* "" if the verb needs none */
};

struct order {
    size_t count;
    size_t steps[STEPS_MAX];             /* indices into script.steps */
    char expected[STEPS_MAX][WORD_SIZE]; /* "": anything */
};

struct script {
    char name[64];
    char sessions[SESSIONS_MAX][WORD_SIZE];
    size_t session_count;
    struct step first[STEPS_MAX], steps[STEPS_MAX];
    size_t first_count, step_count;
    struct order *orders;
    size_t order_count;
};

/* Reads a file. false: the reason is on stderr. */
bool script_read(struct script *script, const char *path);
void script_release(struct script *script);
/* Adds every order of the steps in which those of one session keep theirs. false: there are too
 * many. */
bool script_add_all_orders(struct script *script);
/* A new order at the end, or NULL. */
struct order *script_add_order(struct script *script);

#endif
