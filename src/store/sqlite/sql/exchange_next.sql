-- The jobs next in line (J9).
-- ?1 queue, ?2 how many at most. Rows in claim order: columns.sql.
SELECT
--#include "columns.sql"
FROM job WHERE queue = ?1 AND state = 2 ORDER BY priority, seq LIMIT ?2
