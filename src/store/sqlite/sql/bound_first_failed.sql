-- The failed record that ended first. By the index that set_index.sql makes.
-- ?1 queue. One row or none: columns.sql.
SELECT
--#include "columns.sql"
FROM job WHERE queue = ?1 AND state = 5 ORDER BY seq LIMIT 1
