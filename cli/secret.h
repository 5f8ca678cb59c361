/* Passwords where others can see them: said on stderr, not refused. */
#ifndef CLI_SECRET_H
#define CLI_SECRET_H

/* url was given on the command line, which everybody on this host may look at. */
void secret_warn_argument(const char *url);
/* url stands in the file at path: who may read that? */
void secret_warn_file(const char *url, const char *path);

#endif
