-- Bounds hold for all who use a queue: libraries that do not know them are to stay out.
-- ?1 the oldest schema that knows them.
UPDATE meta SET value = ?1 WHERE name = 'oldest_writer' AND value < ?1
