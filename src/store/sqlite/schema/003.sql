-- Leases of names (L1 to L7) and the lines of those who wait for one. Libraries that know only 001
-- or 002 go on working beside: they know no leaders and no locks, and touch none of this. Never edit
-- this file: add 004.sql.

-- A row stays when its lease is over, so that tokens grow (J4); one that has been free for long is
-- forgotten, and meta's grants_token then holds the greatest token of those. Deadlines are
-- CLOCK_BOOTTIME of the boot that meta's boot_id_grants names: boot_id would not do, since an older
-- library that meets a new boot first renews that one and leaves these deadlines as they are.
CREATE TABLE granted(
    n INTEGER PRIMARY KEY,
    space TEXT NOT NULL,
    kind INTEGER NOT NULL,         -- enum rv_grant_kind
    name TEXT NOT NULL,
    token INTEGER NOT NULL,        -- the latest
    holder INTEGER NOT NULL,       -- 0: nobody, since it was released
    deadline INTEGER NOT NULL,
    since INTEGER NOT NULL,
    resign INTEGER NOT NULL,       -- the holder is asked to give it up
    freed INTEGER NOT NULL,        -- how often it, or a place in line, was let go
    asked INTEGER NOT NULL,        -- how often a holder was asked to resign
    held_by TEXT NOT NULL,
    UNIQUE(space, kind, name));
CREATE INDEX granted_deadline ON granted(deadline);

CREATE TABLE ticket(
    granted INTEGER NOT NULL,
    number INTEGER NOT NULL,       -- the place in line
    holder INTEGER NOT NULL,
    deadline INTEGER NOT NULL,
    PRIMARY KEY(granted, number)) WITHOUT ROWID;
CREATE INDEX ticket_deadline ON ticket(deadline);
