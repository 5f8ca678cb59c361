-- Leases that stand, by name.
-- ?1 space, ?2 kind, ?3 now, ?4 after which name, ?5 the one name, or '', ?6 how many at most.
-- Rows in the order of grants.c.
SELECT name, token, holder, deadline, since, resign, held_by,
       (SELECT count(*) FROM ticket WHERE granted = n AND ticket.deadline > ?3)
FROM granted
WHERE space = ?1 AND kind = ?2 AND name > ?4 AND holder <> 0 AND deadline > ?3
      AND (?5 = '' OR name = ?5)
ORDER BY name LIMIT ?6
