-- Streams by their numbers. ?1 group, ?2 after which, ?3 state or 0: any, ?4 how many at most.
-- Rows: stream_columns.sql.
SELECT
--#include "stream_columns.sql"
FROM stream
WHERE grp = ?1 AND n > ?2 AND (?3 = 0 OR (?3 = 2) = (holder <> 0))
ORDER BY n LIMIT ?4
