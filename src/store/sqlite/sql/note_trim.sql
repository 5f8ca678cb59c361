-- Lines beyond those remembered go.
-- ?1 n, ?2 the last number to go.
DELETE FROM note WHERE job = ?1 AND number BETWEEN 1 AND ?2
