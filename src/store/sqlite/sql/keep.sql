-- The record of an ended job stays until another time.
-- ?1 n, ?2 until when.
UPDATE job SET expires = ?2 WHERE n = ?1
