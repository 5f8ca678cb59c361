-- Whether the leases in the file are of this boot.
-- ?1 boot id. One row if so.
SELECT 1 FROM meta WHERE name = 'boot_id' AND value = ?1
