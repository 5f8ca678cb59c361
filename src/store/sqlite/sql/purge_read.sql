-- One of them, if it still is.
-- ?1 n, ?2 queue, ?3 state. One row or none: columns.sql.
SELECT
--#include "columns.sql"
FROM job WHERE n = ?1 AND queue = ?2 AND state = ?3
