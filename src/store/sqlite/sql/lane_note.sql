-- Remembers what the latest request of an asker came to (J7).
-- ?1 queue, ?2 lane, ?3 number, ?4 statuses, ?5 now.
REPLACE INTO lane(queue, lane, number, statuses, used_at) VALUES (?1, ?2, ?3, ?4, ?5)
