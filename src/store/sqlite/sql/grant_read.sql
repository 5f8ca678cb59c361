-- The lease of a name.
-- ?1 space, ?2 kind, ?3 name. One row, or none; in the order of grants.c.
SELECT n, token, holder, deadline, since, resign, freed, asked
FROM granted WHERE space = ?1 AND kind = ?2 AND name = ?3
