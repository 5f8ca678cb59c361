-- Ownerships of another boot are over, and their owners have been idle for long.
UPDATE stream SET deadline = 0, touched = -100000000 WHERE holder <> 0
