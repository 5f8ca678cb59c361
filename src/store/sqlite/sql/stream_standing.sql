-- The ownership that ends next of those that stand. ?1 group, ?2 now.
SELECT deadline, touched FROM stream
WHERE grp = ?1 AND holder <> 0 AND deadline > ?2 ORDER BY deadline, n LIMIT 1
