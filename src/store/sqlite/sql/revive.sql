-- A failed or cancelled job is ready again, at the end of its line, with all its attempts (J9).
-- ?1 n, ?2 seq, ?3 now, ?4 past.
UPDATE job SET state = 2, seq = ?2, run_at = ?3, attempt = 0, flags = flags & ~1, expires = NULL,
               past = ?4
WHERE n = ?1
