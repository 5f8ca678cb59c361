-- Groups of streams (S1 to S9). Libraries that know only 001 to 003 go on working beside: they know
-- no streams, and touch none of this. Never edit this file: add 005.sql.

-- Counts and counters are changed by the step that they count. token is the latest of the group
-- (J4), seq the latest place in line, letter the latest dead letter's number, asked the bell.
CREATE TABLE stream_group(
    n INTEGER PRIMARY KEY,
    space TEXT NOT NULL,
    name TEXT NOT NULL,
    token INTEGER NOT NULL DEFAULT 0,
    seq INTEGER NOT NULL DEFAULT 0,
    letter INTEGER NOT NULL DEFAULT 0,
    asked INTEGER NOT NULL DEFAULT 0,
    waiting INTEGER NOT NULL DEFAULT 0,
    owned INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    offered_total INTEGER NOT NULL DEFAULT 0,
    duplicates_total INTEGER NOT NULL DEFAULT 0,
    taken_total INTEGER NOT NULL DEFAULT 0,
    ended_total INTEGER NOT NULL DEFAULT 0,
    yielded_total INTEGER NOT NULL DEFAULT 0,
    lapsed_total INTEGER NOT NULL DEFAULT 0,
    requeued_total INTEGER NOT NULL DEFAULT 0,
    failed_total INTEGER NOT NULL DEFAULT 0,
    trimmed_total INTEGER NOT NULL DEFAULT 0,
    purged_total INTEGER NOT NULL DEFAULT 0,
    revived_total INTEGER NOT NULL DEFAULT 0,
    fenced_total INTEGER NOT NULL DEFAULT 0,
    UNIQUE(space, name));

-- Deadlines are CLOCK_BOOTTIME of the boot that meta's boot_id_streams names (see 003.sql).
CREATE TABLE stream(
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    grp INTEGER NOT NULL,
    name TEXT NOT NULL,
    seq INTEGER NOT NULL,          -- its place in line
    holder INTEGER NOT NULL,       -- 0: it waits
    token INTEGER NOT NULL,        -- the latest; 0: never owned
    deadline INTEGER NOT NULL,
    touched INTEGER NOT NULL,      -- taken or renewed
    retries INTEGER NOT NULL,
    offered INTEGER NOT NULL,
    since INTEGER NOT NULL,
    yielding INTEGER NOT NULL,     -- its owner is asked to yield it
    held_by TEXT NOT NULL,
    info BLOB NOT NULL,
    UNIQUE(grp, name));
CREATE INDEX stream_line ON stream(grp, seq) WHERE holder = 0;
CREATE INDEX stream_deadline ON stream(grp, deadline, n) WHERE holder <> 0;
CREATE INDEX stream_holder ON stream(holder) WHERE holder <> 0;

CREATE TABLE stream_letter(
    grp INTEGER NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    retries INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    reason TEXT NOT NULL,
    held_by TEXT NOT NULL,
    info BLOB NOT NULL,
    PRIMARY KEY(grp, number)) WITHOUT ROWID;

CREATE TABLE stream_member(
    grp INTEGER NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    owned INTEGER NOT NULL,
    most INTEGER NOT NULL,
    joined INTEGER NOT NULL,
    seen INTEGER NOT NULL,
    gone_at INTEGER NOT NULL,
    PRIMARY KEY(grp, id)) WITHOUT ROWID;
