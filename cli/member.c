#include "member.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    size_t at;
} figures[] = {
    {"owned_total", offsetof(struct reeve_member_stats, owned_total)},
    {"ended_total", offsetof(struct reeve_member_stats, ended_total)},
    {"yielded_total", offsetof(struct reeve_member_stats, yielded_total)},
    {"failed_total", offsetof(struct reeve_member_stats, failed_total)},
    {"lost_total", offsetof(struct reeve_member_stats, lost_total)},
    {"settles_failed_total", offsetof(struct reeve_member_stats, settles_failed_total)},
    {"takes_total", offsetof(struct reeve_member_stats, takes_total)},
    {"takes_failed_total", offsetof(struct reeve_member_stats, takes_failed_total)},
    {"renewed_total", offsetof(struct reeve_member_stats, renewed_total)},
    {"renewals_failed_total", offsetof(struct reeve_member_stats, renewals_failed_total)},
    {"scans_total", offsetof(struct reeve_member_stats, scans_total)},
    {"scans_failed_total", offsetof(struct reeve_member_stats, scans_failed_total)},
    {"requeued_total", offsetof(struct reeve_member_stats, requeued_total)},
    {"dead_total", offsetof(struct reeve_member_stats, dead_total)},
    {"unparseable_total", offsetof(struct reeve_member_stats, unparseable_total)},
    {"alive_total", offsetof(struct reeve_member_stats, alive_total)},
    {"lapsed_total", offsetof(struct reeve_member_stats, lapsed_total)},
    {"recovered_at_start", offsetof(struct reeve_member_stats, recovered_at_start)},
    {"take_us_total", offsetof(struct reeve_member_stats, take_us_total)},
    {"take_us_max", offsetof(struct reeve_member_stats, take_us_max)},
    {"renew_us_total", offsetof(struct reeve_member_stats, renew_us_total)},
    {"renew_us_max", offsetof(struct reeve_member_stats, renew_us_max)},
    {"scan_us_total", offsetof(struct reeve_member_stats, scan_us_total)},
    {"scan_us_max", offsetof(struct reeve_member_stats, scan_us_max)},
    {"settle_us_total", offsetof(struct reeve_member_stats, settle_us_total)},
    {"settle_us_max", offsetof(struct reeve_member_stats, settle_us_max)},
    {"start_us", offsetof(struct reeve_member_stats, start_us)},
    {"held_ms_total", offsetof(struct reeve_member_stats, held_ms_total)},
    {"held_ms_max", offsetof(struct reeve_member_stats, held_ms_max)},
    {"hints_total", offsetof(struct reeve_member_stats, hints_total)},
    {"listens_total", offsetof(struct reeve_member_stats, listens_total)},
    {"listens_failed_total", offsetof(struct reeve_member_stats, listens_failed_total)},
    {"resets_total", offsetof(struct reeve_member_stats, resets_total)},
};

static uint64_t number_at(const struct reeve_member_stats *stats, size_t at) {
    uint64_t number;
    memcpy(&number, (const char *)stats + at, sizeof number);
    return number;
}

static json_t *stats_json(const struct reeve_member_stats *stats) {
    json_t *object = json_object();
    for (size_t i = 0; object && i < sizeof figures / sizeof *figures; i++)
        (void)json_object_set_new(object, figures[i].name,
                                  json_integer((json_int_t)number_at(stats, figures[i].at)));
    if (object)
        (void)json_object_set_new(object, "degraded_since_ms", json_ms(stats->degraded_since_ms));
    return object;
}

json_t *member_json(const struct reeve_member_info *member) {
    return json_pack("{s:o, s:o, s:I, s:I, s:o, s:o, s:o}", "id", json_text(member->id), "name",
                     json_text(member->name), "owned", (json_int_t)member->owned, "max",
                     (json_int_t)member->max, "joined_at_ms", json_ms(member->joined_at_ms),
                     "seen_at_ms", json_ms(member->seen_at_ms), "stats", stats_json(member->stats));
}
