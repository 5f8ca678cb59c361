#include "work/said.h"

#include <stdlib.h>
#include <string.h>

#include <reeve.h>

int rv_said_init(struct rv_said *said) {
    said->count = 0;
    return pthread_mutex_init(&said->lock, NULL) ? REEVE_ENOMEM : 0;
}

void rv_said_release(struct rv_said *said) {
    for (size_t i = 0; i < said->count; i++)
        free(said->words[i]);
    (void)pthread_mutex_destroy(&said->lock);
}

static bool add(struct rv_said *said, const char *word) {
    for (size_t i = 0; i < said->count; i++) {
        if (!strcmp(said->words[i], word)) return false;
    }
    if (said->count == RV_SAID_MAX) return false;
    char *copy = strdup(word);
    if (copy) said->words[said->count++] = copy; /* else it is said again some day */
    return true;
}

bool rv_said_is_news(struct rv_said *said, const char *word) {
    (void)pthread_mutex_lock(&said->lock);
    bool news = add(said, word);
    (void)pthread_mutex_unlock(&said->lock);
    return news;
}
