/* Workers whose handler is a program, mostly a script, and the processes that it makes: what the
 * tests of programs share. */
#ifndef SERVICE_PROGRAMS_H
#define SERVICE_PROGRAMS_H

#include "service/scene.h"

void start_program(struct scene *s, struct reeve_worker_options options, const char *const argv[]);
void start_script(struct scene *s, struct reeve_worker_options options, const char *script);
/* Runs script for the one job "a" with one attempt, until it has ended. */
void run_script(struct scene *s, const char *script, enum reeve_state expected);
void check_result(struct scene *s, const char *text);  /* of "a" */
void check_message(struct scene *s, const char *text); /* likewise: of its error */

/* The file that a script names its processes in, and the script's way to it: $PIDS. */
struct pids {
    char *folder, *file;
};

struct pids make_pids(void);
void drop_pids(struct pids *pids);
void await_pids(const struct pids *pids); /* until the script has named them */
bool is_gone(long pid);                   /* dead, though its parent may not know */
bool all_are_gone(void *file);            /* that the file names */

/* The guardian of the process worker that is not the one before; 0: none was yet. */
long await_guardian(long worker, long before);

/* Names itself and a child of its own, which also holds its stdout. */
#define TWO_PROCESSES "sleep 1000 & echo $$ $! > $PIDS.new; mv $PIDS.new $PIDS; "
#define DEAF "trap '' TERM; "

#endif
