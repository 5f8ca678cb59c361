-- Somebody leaves the line.
-- ?1 n of the name, ?2 holder.
DELETE FROM ticket WHERE granted = ?1 AND holder = ?2
