-- Some jobs of a claim were handed in.
-- ?1 holder, ?2 how many it still has.
UPDATE claim SET jobs = ?2 WHERE holder = ?1
