/* The doctor: whether this user may do what a queue needs. */
#include "store/redis/examine.h"
#include "store/redis/script.h"
#include "store/redis/space.h"

int rv_rd_examine_rights(struct rv_rd_exam *exam, struct rv_error *err) {
    const struct rv_rd_space_script script = {
        .which = RV_REDIS_LUA_RIGHTS, .keys = {"version"}, .key_count = 1};
    redisReply *reply;
    int rc = rv_rd_space_run(exam->store, &script, &reply, err);
    if (rc) return rc;
    bool knows = rv_rd_is_array(reply, 2);
    struct rv_bytes needed = {0}, liked = {0};
    if (knows) needed = rv_rd_bytes(reply->element[0]);
    if (knows) liked = rv_rd_bytes(reply->element[1]);
    if (needed.size)
        rv_find(&exam->book, REEVE_BAD, "rights", "this user may not use: %s",
                (const char *)needed.data);
    if (liked.size)
        rv_find(&exam->book, REEVE_FINE, "rights", "this user can do without: %s",
                (const char *)liked.data);
    if (!needed.size && !liked.size)
        rv_find(&exam->book, REEVE_FINE, "rights",
                knows ? "this user may do all that a queue needs"
                      : "the server cannot tell them (since version 7.0 it can)");
    freeReplyObject(reply);
    return 0;
}
