/* URLs as people show them. */
#ifndef RV_BASE_URL_H
#define RV_BASE_URL_H

#include <stdbool.h>

/* A copy of url whose password is "***", in the user part as in the query. When in doubt about
 * where a password ends it hides more. One block: free(). NULL when out of memory. */
char *rv_url_redact(const char *url);

/* ---- taking one apart ---- in place: the parts are pieces of the text ---- */
struct rv_url {
    char *scheme;
    char *user, *password; /* decoded; NULL if there is none */
    char *hosts;           /* between the user part and the path, as it stands; NULL without "//" */
    char *path;  /* from its '/' on; without "//" all after the colon. "" if there is none */
    char *query; /* after the '?'; NULL if there is none */
};

/* False if there is no colon, or an escape that is none. A user part ends at the last '@' before
 * the query, as rv_url_redact() has it. */
bool rv_url_split(char *url, struct rv_url *out);
/* The next of KEY=VALUE&KEY..., both decoded; a value that lacks is NULL. False at the end, and if
 * an escape is none: then *query is not NULL. */
bool rv_url_option(char **query, char **key, char **value);
/* %41 becomes A. False if an escape is none, or one of a NUL. */
bool rv_url_decode(char *text);

#endif
