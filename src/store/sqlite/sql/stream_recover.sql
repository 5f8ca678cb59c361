-- Ownerships that are over, by deadline (S4). ?1 group, ?2 now, ?3 and ?4 after which deadline and
-- n, ?5 how many at most. Rows: stream_columns.sql.
SELECT
--#include "stream_columns.sql"
FROM stream
WHERE grp = ?1 AND holder <> 0 AND deadline <= ?2 AND (deadline, n) > (?3, ?4)
ORDER BY deadline, n LIMIT ?5
