/* A member of a group of streams: owns what it can, keeps it by the keeper, tells its user, and
 * recovers what dead owners left. A thread of its own does all of that but for what users ask. */
#ifndef RV_SERVICE_MEMBER_H
#define RV_SERVICE_MEMBER_H

#include "service/service.h"

/* options are checked and complete. *out is there before anything is called. */
int rv_member_open(struct reeve_member **out, struct rv_service *service, const char *group,
                   const struct reeve_member_options *options, struct rv_error *err);
void rv_member_drain(struct reeve_member *member); /* takes nothing from now on */
/* NULL is fine. Yields all; the last call of the user's is ended(). */
void rv_member_close(struct reeve_member *member);

const char *rv_member_id(const struct reeve_member *member);
uint64_t rv_member_token(struct reeve_member *member, const char *name); /* 0: not in hand */
struct reeve_member_stats rv_member_stats(struct reeve_member *member);

enum rv_deed { RV_DEED_END = 1, RV_DEED_YIELD, RV_DEED_FAIL };
/* reason: with RV_DEED_FAIL. REEVE_EFENCED: it is not in hand, or no longer ours. */
int rv_member_settle(struct reeve_member *member, const char *name, enum rv_deed deed,
                     const char *reason, struct rv_error *err);

#endif
