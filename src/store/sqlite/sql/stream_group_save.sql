-- ?1 n, then its figures in the order of stream_group_read.sql.
UPDATE stream_group SET token = ?2, seq = ?3, letter = ?4, asked = ?5, waiting = ?6, owned = ?7,
    failed = ?8, offered_total = ?9, duplicates_total = ?10, taken_total = ?11, ended_total = ?12,
    yielded_total = ?13, lapsed_total = ?14, requeued_total = ?15, failed_total = ?16,
    trimmed_total = ?17, purged_total = ?18, revived_total = ?19, fenced_total = ?20
WHERE n = ?1
