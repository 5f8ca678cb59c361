-- What a member tells of its figures. Older libraries go on working beside: their members tell none.
-- Never edit this file: add 007.sql.
ALTER TABLE stream_member ADD COLUMN told BLOB NOT NULL DEFAULT x'';
