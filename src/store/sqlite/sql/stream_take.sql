-- The first in line (S2). ?1 group, ?2 how many at most. Rows: stream_columns.sql.
SELECT
--#include "stream_columns.sql"
FROM stream WHERE grp = ?1 AND holder = 0 ORDER BY seq LIMIT ?2
