-- The first in line, to see since when it could run.
-- ?1 queue. One row or none: columns.sql.
SELECT
--#include "columns.sql"
FROM job WHERE queue = ?1 AND state = 2 ORDER BY priority, seq LIMIT 1
