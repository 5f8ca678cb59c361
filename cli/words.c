#include "words.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n';
}

/* Copies the word at *at to *to, quotes taken off; both move on. false: a quote is not closed. */
static bool take_word(const char **at, char **to) {
    char quote = '\0';
    for (; **at && (quote || !is_blank(**at)); ++*at) {
        char c = **at;
        if (quote ? c == quote : c == '\'' || c == '"') {
            quote = quote ? '\0' : c;
            continue;
        }
        if (c == '\\' && quote != '\'') {
            c = *++*at;
            if (!c) return false;
        }
        *(*to)++ = c;
    }
    *(*to)++ = '\0';
    return !quote;
}

const char *words_split(const char *text, char ***out) {
    size_t size = strlen(text), words_max = size / 2 + 2; /* a word and a blank each, and the end */
    char **words = malloc(words_max * sizeof *words + size + 2);
    *out = NULL;
    if (!words) return "out of memory";
    char *to = (char *)(words + words_max);
    size_t count = 0;
    for (const char *at = text; *at;) {
        if (is_blank(*at)) {
            at++;
            continue;
        }
        words[count++] = to;
        if (!take_word(&at, &to)) {
            free(words);
            return "ends inside a quote";
        }
    }
    words[count] = NULL;
    if (!count) {
        free(words);
        return "is empty";
    }
    *out = words;
    return NULL;
}
