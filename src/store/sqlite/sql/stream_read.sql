-- One stream. ?1 group, ?2 name. Rows: stream_columns.sql.
SELECT
--#include "stream_columns.sql"
FROM stream WHERE grp = ?1 AND name = ?2
