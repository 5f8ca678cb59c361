-- Somebody's place in line.
-- ?1 n of the name, ?2 holder, ?3 now. One row, or none: number, deadline, how many come first.
SELECT number, deadline,
       (SELECT count(*) FROM ticket AS t
        WHERE t.granted = ?1 AND t.number < ticket.number AND t.deadline > ?3)
FROM ticket WHERE granted = ?1 AND holder = ?2 AND deadline > ?3
