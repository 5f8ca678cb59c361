-- A name that nobody has asked for, or that was forgotten: its tokens go on from those (J4).
-- ?1 space, ?2 kind, ?3 name.
INSERT INTO granted(space, kind, name, token, holder, deadline, since, resign, freed, asked, held_by)
VALUES (?1, ?2, ?3, coalesce((SELECT value FROM meta WHERE name = 'grants_token'), 0),
        0, 0, 0, 0, 0, 0, '')
