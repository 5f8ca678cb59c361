-- The same for jobs next in line whose numbers follow one another.
-- ?1 the first number, ?2 the last, ?3 holder. Changes: as many.
UPDATE OR FAIL job SET state = 3, attempt = attempt + 1, holder = ?3 WHERE n BETWEEN ?1 AND ?2
