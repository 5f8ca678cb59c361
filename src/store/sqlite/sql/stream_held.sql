-- What a holder has (J7). ?1 group, ?2 holder, ?3 how many at most. Rows: stream_columns.sql.
SELECT
--#include "stream_columns.sql"
FROM stream WHERE holder = ?2 AND holder <> 0 AND grp = ?1 LIMIT ?3
