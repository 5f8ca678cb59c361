/* A program that runs while something is held: started and stopped from other threads than the one
 * that takes the signals. */
#ifndef CLI_CHARGE_H
#define CLI_CHARGE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <reeve.h>

struct charge {
    reeve *r;
    char *const *argv;
    pthread_t tells;      /* gets SIGUSR1 when something has happened */
    atomic_bool ended;    /* it has, by itself or not */
    atomic_int status;    /* then: what a shell would say */
    atomic_bool hurry;    /* no grace any more */
    pthread_mutex_t lock; /* guards program */
    reeve_program *program;
};

/* The calling thread is the one that is told. */
void charge_init(struct charge *charge, reeve *r, char *const *argv);
void charge_release(struct charge *charge); /* it has been stopped */
void charge_tell(struct charge *charge);    /* raises SIGUSR1 there */

enum { CHARGE_VARIABLE_SIZE = 2048 };
/* variable: "NAME=value" for its environment. 0 or an exit code; it has been said why. */
int charge_start(struct charge *charge, const char *variable);
/* TERM, and KILL after grace_ms; returns when it is gone. None is fine. */
void charge_stop(struct charge *charge, int64_t grace_ms);
void charge_ask(struct charge *charge, int64_t grace_ms); /* the same, but returns at once */
void charge_hurry(struct charge *charge); /* KILL now, also if it is being stopped */

#define CHARGE_GRACE_MS INT64_C(25000) /* when there is no need to hurry */

#endif
