-- Back in line, at its end. ?1 n, ?2 seq, ?3 now, ?4 retries.
UPDATE stream SET holder = 0, yielding = 0, seq = ?2, offered = ?3, retries = ?4 WHERE n = ?1
