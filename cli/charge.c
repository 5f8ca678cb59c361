#include "charge.h"

#include <signal.h>
#include <sys/wait.h>

#include "exit.h"

enum { EXIT_NOT_FOUND = 127, EXIT_SIGNALLED = 128 };

void charge_init(struct charge *c, reeve *r, char *const *argv) {
    *c = (struct charge){.r = r, .argv = argv, .tells = pthread_self()};
    (void)pthread_mutex_init(&c->lock, NULL);
}

void charge_release(struct charge *c) {
    (void)pthread_mutex_destroy(&c->lock);
}

void charge_tell(struct charge *c) {
    (void)pthread_kill(c->tells, SIGUSR1);
}

static void note_end(void *arg, int status) {
    struct charge *c = arg;
    atomic_store(&c->status,
                 WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_SIGNALLED + WTERMSIG(status));
    atomic_store(&c->ended, true);
    charge_tell(c);
}

int charge_start(struct charge *c, const char *variable) {
    const char *const variables[] = {variable, NULL};
    struct reeve_program_options options = {.size = sizeof options,
                                            .argv = (const char *const *)c->argv,
                                            .variables = variables,
                                            .ended = note_end,
                                            .arg = c};
    reeve_program *program;
    atomic_store(&c->ended, false);
    int rc = reeve_program_start(&program, c->r, &options);
    (void)pthread_mutex_lock(&c->lock);
    c->program = program;
    (void)pthread_mutex_unlock(&c->lock);
    if (!rc) return EXIT_DONE;
    return fail(rc == REEVE_ENOENT ? EXIT_NOT_FOUND : exit_code_of(rc), "%s", reeve_errmsg());
}

void charge_ask(struct charge *c, int64_t grace_ms) {
    (void)pthread_mutex_lock(&c->lock);
    if (c->program) reeve_program_stop(c->program, atomic_load(&c->hurry) ? 0 : grace_ms);
    (void)pthread_mutex_unlock(&c->lock);
}

/* Only those who start it stop it: the program stays where it is meanwhile. */
void charge_stop(struct charge *c, int64_t grace_ms) {
    reeve_program *program = c->program;
    charge_ask(c, grace_ms);
    if (!program) return;
    (void)reeve_program_wait(program, REEVE_NONE, NULL);
    (void)pthread_mutex_lock(&c->lock);
    c->program = NULL;
    (void)pthread_mutex_unlock(&c->lock);
    reeve_program_close(program);
}

void charge_hurry(struct charge *c) {
    atomic_store(&c->hurry, true);
    charge_ask(c, 0);
}
