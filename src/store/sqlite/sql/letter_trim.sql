-- The oldest go. ?1 group, ?2 how many.
DELETE FROM stream_letter WHERE grp = ?1 AND number IN
    (SELECT number FROM stream_letter WHERE grp = ?1 ORDER BY number LIMIT ?2)
