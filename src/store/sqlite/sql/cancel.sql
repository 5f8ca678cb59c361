-- A waiting job ends as cancelled.
-- ?1 n, ?2 until when it is kept, ?3 past.
UPDATE job SET state = 6, expires = ?2, past = ?3 WHERE n = ?1
