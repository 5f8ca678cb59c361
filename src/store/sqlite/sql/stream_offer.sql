-- A stream in line (S1). ?1 group, ?2 name, ?3 seq, ?4 now, ?5 info.
INSERT INTO stream(grp, name, seq, holder, token, deadline, touched, retries, offered, since,
                   yielding, held_by, info)
VALUES (?1, ?2, ?3, 0, 0, 0, 0, 0, ?4, 0, 0, '', ?5)
