-- A group, its figures in the order of enum figure in groups.h.
-- ?1 space, ?2 name.
SELECT n, token, seq, letter, asked, waiting, owned, failed, offered_total, duplicates_total,
       taken_total, ended_total, yielded_total, lapsed_total, requeued_total, failed_total,
       trimmed_total, purged_total, revived_total, fenced_total
FROM stream_group WHERE space = ?1 AND name = ?2
