#include "leader.h"

#include "json.h"

json_t *leader_json(const struct reeve_leader_info *leader) {
    return json_pack("{s:o, s:I, s:o, s:o, s:o, s:b, s:b}", "name", json_text(leader->name), "term",
                     (json_int_t)leader->term, "by", json_text(leader->by), "since_at_ms",
                     json_ms(leader->since_at_ms), "until_at_ms", json_ms(leader->until_at_ms),
                     "resigning", leader->resigning, "upkeep", leader->upkeep);
}
