-- A member is here. ?1 group, ?2 id, ?3 name, ?4 owned, ?5 most, ?6 joined, ?7 seen, ?8 until when,
-- ?9 its figures.
INSERT OR REPLACE INTO stream_member(grp, id, name, owned, most, joined, seen, gone_at, told)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
