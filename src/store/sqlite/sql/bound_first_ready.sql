-- Who makes room: the first in the least urgent level.
-- ?1 queue. One row or none: columns.sql.
SELECT
--#include "columns.sql"
FROM job
WHERE queue = ?1 AND state = 2
  AND priority = (SELECT priority FROM job WHERE queue = ?1 AND state = 2
                  ORDER BY priority DESC LIMIT 1)
ORDER BY seq LIMIT 1
