-- Some jobs of a queue in one state. Of the arms one is true, each with an index of its own.
-- ?1 queue, ?2 state, ?3 how many at most. Rows: n.
SELECT n FROM job WHERE ?2 = 1 AND queue = ?1 AND state = 1
UNION ALL SELECT n FROM job WHERE ?2 = 2 AND queue = ?1 AND state = 2
UNION ALL SELECT n FROM job WHERE ?2 = 5 AND queue = ?1 AND state = 5
UNION ALL SELECT n FROM job WHERE ?2 IN (4, 6) AND queue = ?1 AND state = ?2 AND expires IS NOT NULL
LIMIT ?3
