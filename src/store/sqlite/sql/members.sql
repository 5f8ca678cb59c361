-- Those that are here. ?1 group, ?2 now, ?3 how many at most.
SELECT id, name, owned, most, joined, seen, told FROM stream_member
WHERE grp = ?1 AND gone_at > ?2 LIMIT ?3
