-- Its owner is asked to yield it (S8). ?1 n.
UPDATE stream SET yielding = 1 WHERE n = ?1
