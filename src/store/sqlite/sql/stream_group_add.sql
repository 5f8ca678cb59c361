-- A group nobody knows yet. ?1 space, ?2 name.
INSERT INTO stream_group(space, name) VALUES (?1, ?2)
