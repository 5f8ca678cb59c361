-- Those that are gone. ?1 group, ?2 now, ?3 how many at most.
DELETE FROM stream_member WHERE grp = ?1 AND id IN
    (SELECT id FROM stream_member WHERE grp = ?1 AND gone_at <= ?2 LIMIT ?3)
