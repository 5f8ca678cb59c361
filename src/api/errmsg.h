/* The text behind reeve_errmsg(): the only place where an error leaves its struct rv_error. */
#ifndef RV_API_ERRMSG_H
#define RV_API_ERRMSG_H

#include "base/error.h"

/* Makes err the last failure of this thread; returns its code. A public function ends with
 * `return rv_api_fail(&err)` when it failed and leaves the text alone when it did not. */
int rv_api_fail(const struct rv_error *err);

/* rv_api_fail(), unless code is 0: for a function that ends in a call that may fail. */
int rv_api_result(int code, const struct rv_error *err);

#endif
