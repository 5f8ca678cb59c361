-- A running job is told to stop: its holder hears of it when he renews.
-- ?1 n.
UPDATE job SET flags = flags | 1 WHERE n = ?1
