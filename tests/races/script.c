#include "races/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "races/race.h"

static bool complain(const struct script *script, const char *what, const char *text) {
    (void)fprintf(stderr, "%s: %s '%s'\n", script->name, what, text);
    return false;
}

static bool copy_word(char out[WORD_SIZE], const char *word) {
    return snprintf(out, WORD_SIZE, "%s", word) < WORD_SIZE;
}

static bool find_session(struct script *script, const char *name, size_t *out) {
    for (*out = 0; *out < script->session_count; ++*out)
        if (strcmp(script->sessions[*out], name) == 0) return true;
    if (script->session_count == SESSIONS_MAX || !copy_word(script->sessions[*out], name))
        return complain(script, "no room for session", name);
    script->session_count++;
    return true;
}

/* "[NAME] VERB [WORD]", into the list of first steps (without a name) or of named ones. */
static bool read_step(struct script *script, char *text, size_t session, bool first) {
    char *rest = text, *name = first ? "" : strtok_r(rest, " \t", &rest);
    char *verb = name ? strtok_r(rest, " \t", &rest) : NULL;
    char *word = verb ? strtok_r(rest, " \t", &rest) : NULL;
    size_t *count = first ? &script->first_count : &script->step_count;
    if (!verb) return complain(script, "not a step", text);
    if (*count == STEPS_MAX) return complain(script, "too many steps at", text);
    struct step *step = first ? &script->first[*count] : &script->steps[*count];
    *step = (struct step){.session = session, .verb = verb_find(verb)};
    if (!step->verb) return complain(script, "no verb", verb);
    ++*count;
    return copy_word(step->name, name) && copy_word(step->word, word ? word : "");
}

/* "SESSION: STEP, STEP, ..." */
static bool read_session(struct script *script, char *line, bool first) {
    char *steps = strchr(line, ':');
    size_t session;
    if (!steps) return complain(script, "not a session", line);
    *steps++ = '\0';
    line += strspn(line, " \t");
    if (!find_session(script, line, &session)) return false;
    for (char *step; (step = strtok_r(steps, ",", &steps));)
        if (!read_step(script, step, session, first)) return false;
    return true;
}

static bool find_step(const struct script *script, const char *name, size_t *out) {
    for (*out = 0; *out < script->step_count; ++*out)
        if (strcmp(script->steps[*out].name, name) == 0) return true;
    return complain(script, "no step", name);
}

/* "STEP[!WORD] ..." */
static bool read_order(struct script *script, char *words) {
    struct order *order = script_add_order(script);
    if (!order) return complain(script, "no room for order", words);
    for (char *word; (word = strtok_r(words, " \t", &words)); order->count++) {
        char *expected = strchr(word, '!');
        if (expected) *expected++ = '\0';
        if (order->count == STEPS_MAX) return complain(script, "too long an order at", word);
        if (!find_step(script, word, &order->steps[order->count])) return false;
        const char *usual = script->steps[order->steps[order->count]].verb->usual;
        if (!copy_word(order->expected[order->count], expected ? expected : usual)) return false;
    }
    return true;
}

static bool starts_with(const char *line, const char *word, char **rest) {
    size_t size = strlen(word);
    if (strncmp(line, word, size) != 0 || !strchr(" \t", line[size])) return false;
    *rest = (char *)line + size;
    return true;
}

static bool read_line(struct script *script, char *line) {
    char *rest;
    line[strcspn(line, "#\n")] = '\0';
    line += strspn(line, " \t");
    if (!*line) return true;
    if (starts_with(line, "first", &rest)) return read_session(script, rest, true);
    if (starts_with(line, "order", &rest)) return read_order(script, rest);
    if (strcmp(line, "all") == 0)
        return script_add_all_orders(script) || complain(script, "too many orders by", line);
    return read_session(script, line, false);
}

bool script_read(struct script *script, const char *path) {
    char line[512];
    *script = (struct script){0};
    const char *slash = strrchr(path, '/');
    (void)snprintf(script->name, sizeof script->name, "%s", slash ? slash + 1 : path);
    FILE *file = fopen(path, "r");
    if (!file) return complain(script, "cannot open", path);
    bool good = true;
    while (good && fgets(line, sizeof line, file))
        good = read_line(script, line);
    (void)fclose(file);
    return good && (script->order_count || complain(script, "no order in", path));
}

void script_release(struct script *script) {
    free(script->orders);
}
