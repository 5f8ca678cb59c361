-- The jobs that a claim still has, in the order claimed.
-- ?1 holder, ?2 how many at most. Rows: columns.sql.
SELECT
--#include "columns.sql"
FROM job WHERE holder = ?1 ORDER BY priority, seq LIMIT ?2
