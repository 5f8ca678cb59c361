-- The records of a queue by their numbers, without the expired.
-- ?1 queue, ?2 after which number, ?3 up to which, ?4 state or 0: any, ?5 kind or NULL: any,
-- ?6 now. Rows: columns.sql.
SELECT
--#include "columns.sql"
FROM job
WHERE n > ?2 AND n <= ?3 AND queue = ?1 AND (?4 = 0 OR state = ?4) AND (?5 IS NULL OR kind = ?5)
  AND (expires IS NULL OR expires > ?6)
ORDER BY n
