/* What the errors mean that a server answers with: one table. None of them comes after a write of
 * ours has happened: commands are refused whole, and scripts check before they write. */
#ifndef RV_STORE_REDIS_ERRORS_H
#define RV_STORE_REDIS_ERRORS_H

#include "base/error.h"

enum rv_rd_remedy {
    RV_RD_RETRY = 1, /* it will pass: ask again, as long as there is time */
    RV_RD_RERESOLVE, /* not this server's to answer: look again who is, then ask there */
    RV_RD_SEEK,      /* the same, of a replica: there may be no way to find its primary */
    RV_RD_REDIRECT,  /* it says itself whose it is: a node of a cluster */
    RV_RD_RELOAD,    /* it does not know the script: send that, then ask again */
    RV_RD_REFUSE,    /* this request will not be served now */
    RV_RD_FATAL,     /* none will until somebody changes a setting, of ours or of the server */
};

struct rv_rd_error_row {
    const char *code;   /* the first word of the reply; NULL ends the table */
    const char *phrase; /* to be found in it as well, where the code alone says too little */
    enum rv_rd_remedy remedy;
    int error;          /* REEVE_E*, when it comes to that */
    const char *advice; /* for people; NULL: the server's own words will do */
};

extern const struct rv_rd_error_row rv_rd_error_rows[];

/* The row of a server's error text. Never NULL: what is not in the table is what its end says. */
const struct rv_rd_error_row *rv_rd_error_find(const char *text);
/* Turns it into an error of ours. shown: the server's address. */
int rv_rd_error_fail(const char *shown, const char *text, struct rv_error *err);

#endif
