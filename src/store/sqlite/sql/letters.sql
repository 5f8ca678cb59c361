-- Dead letters, oldest first. ?1 group, ?2 after which number, ?3 how many at most.
SELECT number, name, retries, failed, reason, held_by, info
FROM stream_letter WHERE grp = ?1 AND number > ?2 ORDER BY number LIMIT ?3
