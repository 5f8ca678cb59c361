-- It is gone. ?1 n.
DELETE FROM stream WHERE n = ?1
