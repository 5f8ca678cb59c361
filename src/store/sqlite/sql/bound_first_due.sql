-- Who makes room if none is ready: the delayed one that is due first.
-- ?1 queue. One row or none: columns.sql.
SELECT
--#include "columns.sql"
FROM job WHERE queue = ?1 AND state = 1 ORDER BY run_at, n LIMIT 1
