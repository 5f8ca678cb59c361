/* Why a job is not running, in one sentence for people. */
#ifndef RV_CORE_WHY_H
#define RV_CORE_WHY_H

#include <reeve.h>

#define RV_WHY_SIZE 1024

/* What the sentence is made of. */
struct rv_why {
    const struct reeve_job *job;
    bool paused;
    uint64_t ready;   /* jobs of its queue that are, itself included */
    size_t serving;   /* workers of its queue */
    size_t knowing;   /* of those, with a handler for its kind */
    uint64_t threads; /* of the knowing ones */
    uint64_t busy;    /* threads of theirs that run something */
};

/* Does a list of words separated by spaces hold word, or "*"? */
bool rv_words_hold(const char *words, const char *word);
void rv_why_tell(const struct rv_why *why, char out[RV_WHY_SIZE]);

#endif
