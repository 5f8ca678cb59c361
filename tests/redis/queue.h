/* A store on a real server, and the server itself to look at it from the other side and to harm it.
 * The store's only queue is "jobs" of space "test". */
#ifndef REDIS_QUEUE_H
#define REDIS_QUEUE_H

#include "redis/redis_tests.h"
#include "store/store.h"

#define KEY(name) "rv:{test/jobs#0}:" name

struct held_claim {
    uint64_t holder, token;
    char lease[15]; /* as records have it */
};

struct rv_store *open_store(struct line *line);
struct rv_store *open_store_at(struct line *line, const char *url);
void start_queue(struct line *line, const char *with); /* a server; line->rd asks it */

void push_one(struct line *line, struct rv_store *store, const char *id);
void push_new(struct line *line, struct rv_store *store, const struct rv_new_job *job);
struct rv_new_job new_one(const char *id);
/* Claims up to want; *got, unless NULL, how many came. The first is for any thread. */
int try_claim(struct rv_store *store, size_t want, struct held_claim *claim, size_t *got,
              struct rv_error *err);
struct held_claim claim_some(struct line *line, struct rv_store *store, size_t want, size_t *got);
int finish_one(struct line *line, struct rv_store *store, const char *id, struct held_claim claim,
               enum reeve_state state);

/* Does the doctor find nothing bad? */
bool is_sound(struct line *line, struct rv_store *store);

/* A command that has to go well; argv ends with NULL, sizes may be NULL. Returns an integer reply,
 * or 0. */
int64_t command(struct line *line, const char *const *argv, const size_t *sizes);
#define COMMAND(line, ...) command((line), (const char *const[]){__VA_ARGS__, NULL}, NULL)
/* Sum of the calls of all commands that clients sent, INFO not counted. */
int64_t count_commands(struct line *line);

#endif
