-- Names that have been free for long, and that nobody waits for.
-- ?1 free since, ?2 how many at most. Rows: the last token of each.
DELETE FROM granted WHERE n IN (
    SELECT n FROM granted AS g
    WHERE deadline <= ?1 AND NOT EXISTS (SELECT 1 FROM ticket WHERE granted = g.n)
    ORDER BY deadline LIMIT ?2)
RETURNING token
