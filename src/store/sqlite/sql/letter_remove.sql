-- ?1 group, ?2 number.
DELETE FROM stream_letter WHERE grp = ?1 AND number = ?2
