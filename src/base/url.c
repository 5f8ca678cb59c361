#include "base/url.h"

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
    static const char *const secrets[] = {"password", "passwd", "pass",        "pwd",
                                          "token",    "secret", "sslpassword", "sentinel_password"};
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

/* A '?' before an '@' that has none before it stands in a password. */
static const char *find_query(const char *url) {
    const char *query = url + strcspn(url, "?"), *slashes = strstr(url, "://");
    const char *at = slashes && slashes < query ? strrchr(query, '@') : NULL;
    if (!at || end_of_user(slashes, query) ||
        !memchr(slashes + 3, ':', (size_t)(query - slashes - 3)))
        return query;
    return at + strcspn(at, "?");
}

char *rv_url_redact(const char *url) {
    char *text = malloc(most(url));
    if (!text) return NULL;
    const char *query = find_query(url);
    char *end = add_query(add_head(text, url, query), query);
    *end = '\0';
    return text;
}

/* ---- taking one apart ---- */
static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

bool rv_url_decode(char *text) {
    char *to = text;
    for (const char *from = text; *from; from++) {
        if (*from != '%') {
            *to++ = *from;
            continue;
        }
        int high = hex_digit(from[1]), low = high < 0 ? -1 : hex_digit(from[2]);
        if (low < 0 || !(high | low)) return false;
        *to++ = (char)(high << 4 | low);
        from += 2;
    }
    *to = '\0';
    return true;
}

/* at ends the user part; it becomes a string of its own. */
static bool split_user(char *user, char *at, struct rv_url *out) {
    *at = '\0';
    char *colon = strchr(user, ':');
    if (colon) {
        *colon = '\0';
        out->password = colon + 1;
    }
    if (*user) out->user = user;
    return rv_url_decode(user) && (!colon || rv_url_decode(colon + 1));
}

bool rv_url_split(char *url, struct rv_url *out) {
    *out = (struct rv_url){.scheme = url};
    char *rest = strchr(url, ':');
    if (!rest) return false;
    *rest++ = '\0';
    out->path = rest;
    out->query = strchr(rest, '?');
    if (out->query) *out->query++ = '\0';
    if (strncmp(rest, "//", 2) != 0) return true;
    rest += 2;
    char *at = strrchr(rest, '@');
    out->path = at ? at : rest;
    out->path += strcspn(out->path, "/");
    /* All between goes one back, over a '/': so that it ends where the path begins. */
    size_t size = (size_t)(out->path - rest);
    memmove(rest - 1, rest, size);
    rest--;
    rest[size] = '\0';
    if (!at) {
        out->hosts = rest;
        return true;
    }
    out->hosts = at; /* which was moved, too: the byte after it */
    return split_user(rest, at - 1, out);
}

bool rv_url_option(char **query, char **key, char **value) {
    if (!*query || !**query) {
        *query = NULL;
        return false;
    }
    *key = *query;
    char *end = *query + strcspn(*query, "&");
    char *next = *end ? end + 1 : NULL;
    *end = '\0';
    *value = strchr(*key, '=');
    if (*value) *(*value)++ = '\0';
    if (!rv_url_decode(*key) || (*value && !rv_url_decode(*value))) return false;
    *query = next;
    return true;
}
