#include "base/url.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char HIDDEN[] = "***";

/* Appends to a buffer that is known to be large enough. */
static char *add(char *to, const char *from, size_t size) {
    memcpy(to, from, size);
    return to + size;
}

static bool is_secret(const char *key, size_t size) {
    static const char *const secrets[] = {"password", "passwd", "pass",       "pwd",
                                          "token",    "secret", "sslpassword"};
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
        if (strlen(secrets[i]) == size && strncasecmp(secrets[i], key, size) == 0) return true;
    return false;
}

/* The last '@' before the query: a password may hold '@' and '/' by mistake and still be hidden. */
static const char *end_of_user(const char *from, const char *to) {
    const char *at = NULL;
    for (const char *c = from; c < to; c++)
        if (*c == '@') at = c;
    return at;
}

/* [from, to) is what stands before the query. */
static char *add_head(char *out, const char *url, const char *to) {
    const char *slashes = strstr(url, "://");
    if (!slashes || slashes >= to) return add(out, url, (size_t)(to - url));
    const char *user = slashes + 3;
    const char *at = end_of_user(user, to);
    const char *colon = at ? memchr(user, ':', (size_t)(at - user)) : NULL;
    if (!colon) return add(out, url, (size_t)(to - url));
    out = add(out, url, (size_t)(colon + 1 - url));
    out = add(out, HIDDEN, sizeof HIDDEN - 1);
    return add(out, at, (size_t)(to - at));
}

/* query begins with '?' or is empty. */
static char *add_query(char *out, const char *query) {
    while (*query) {
        size_t size = 1 + strcspn(query + 1, "&"); /* with the '?' or '&' before it */
        const char *equals = memchr(query, '=', size);
        if (equals && is_secret(query + 1, (size_t)(equals - query - 1))) {
            out = add(out, query, (size_t)(equals + 1 - query));
            out = add(out, HIDDEN, sizeof HIDDEN - 1);
        } else {
            out = add(out, query, size);
        }
        query += size;
    }
    return out;
}

/* Each hiding makes at most sizeof HIDDEN - 1 bytes of at least one: "=" or ":". */
static size_t most(const char *url) {
    size_t size = strlen(url) + sizeof HIDDEN;
    for (const char *c = url; *c; c++)
        if (*c == '=') size += sizeof HIDDEN - 1;
    return size;
}

char *rv_url_redact(const char *url) {
    char *text = malloc(most(url));
    if (!text) return NULL;
    const char *query = url + strcspn(url, "?");
    char *end = add_query(add_head(text, url, query), query);
    *end = '\0';
    return text;
}
