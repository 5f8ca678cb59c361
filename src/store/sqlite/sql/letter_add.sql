-- A dead letter (S7). ?1 group, ?2 number, ?3 name, ?4 retries, ?5 now, ?6 reason, ?7 last owner,
-- ?8 info.
INSERT INTO stream_letter(grp, number, name, retries, failed, reason, held_by, info)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
