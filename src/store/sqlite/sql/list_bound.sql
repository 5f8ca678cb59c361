-- How far a page may look (J11).
-- ?1 the last number of the page before, ?2 how many records to pass over. One row: a number; none
-- if there are fewer.
SELECT n FROM job WHERE n > ?1 ORDER BY n LIMIT 1 OFFSET ?2
