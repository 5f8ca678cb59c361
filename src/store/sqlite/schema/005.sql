-- When a worker's last claim was answered. Older libraries go on working beside: their workers do
-- not tell. Never edit this file: add 006.sql.
ALTER TABLE worker ADD COLUMN claimed_at INTEGER NOT NULL DEFAULT 0;
