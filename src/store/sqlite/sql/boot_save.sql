-- From now on leases are of this boot.
-- ?1 boot id.
REPLACE INTO meta(name, value) VALUES ('boot_id', ?1)
