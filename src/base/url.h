/* URLs as people show them. */
#ifndef RV_BASE_URL_H
#define RV_BASE_URL_H

/* A copy of url whose password is "***", in the user part as in the query. When in doubt about
 * where a password ends it hides more. One block: free(). NULL when out of memory. */
char *rv_url_redact(const char *url);

#endif
