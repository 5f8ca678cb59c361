-- They have none.
UPDATE job SET holder = NULL WHERE holder IS NOT NULL AND state <> 3
