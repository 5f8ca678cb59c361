-- Gives the jobs next in line to a claim (J1, J2, J9).
-- ?1 queue, ?2 how many, ?3 holder. Changes: as many.
-- OR FAIL: what fails rolls back the whole step, so SQLite need not be ready to undo only this.
UPDATE OR FAIL job SET state = 3, attempt = attempt + 1, holder = ?3
WHERE n IN (SELECT n FROM job WHERE queue = ?1 AND state = 2 ORDER BY priority, seq LIMIT ?2)
