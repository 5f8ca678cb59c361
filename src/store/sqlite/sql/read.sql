-- The record of a job, expired or not.
-- ?1 id, ?2 queue. One row or none: columns.sql.
SELECT
--#include "columns.sql"
FROM job WHERE id = ?1 AND queue = ?2
