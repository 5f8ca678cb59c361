-- The first layout. States are the numbers of enum reeve_state in reeve.h: 1 delayed, 2 ready,
-- 3 running, 4 done, 5 failed, 6 cancelled. Times are milliseconds since the epoch, except
-- deadline: that is CLOCK_BOOTTIME of the boot that meta names. Never edit this file: add 002.sql.

CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- One row per queue, read once and written at most once by each step, so that counting costs
-- nothing beside the jobs and tokens strictly grow (J4).
CREATE TABLE queue(
    n INTEGER PRIMARY KEY,
    space TEXT NOT NULL,
    name TEXT NOT NULL,
    shown INTEGER NOT NULL,        -- it was pushed to or paused: watching makes no queue
    paused INTEGER NOT NULL,
    token INTEGER NOT NULL,        -- the latest (J4)
    seq INTEGER NOT NULL,          -- the latest (J9)
    delayed INTEGER NOT NULL,      -- records by state
    ready INTEGER NOT NULL,
    running INTEGER NOT NULL,
    done INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    cancelled INTEGER NOT NULL,
    pushed_total INTEGER NOT NULL,
    finished_total INTEGER NOT NULL,
    retried_total INTEGER NOT NULL,
    lapsed_total INTEGER NOT NULL,
    fenced_total INTEGER NOT NULL,
    expired_total INTEGER NOT NULL, -- J12
    marked_total INTEGER NOT NULL,  -- cancel marks on running jobs
    event INTEGER NOT NULL,         -- number of the latest
    watched_until INTEGER NOT NULL,
    UNIQUE(space, name));

CREATE TABLE job(
    n INTEGER PRIMARY KEY,
    queue INTEGER NOT NULL,
    id TEXT NOT NULL,
    state INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    seq INTEGER NOT NULL,          -- its place among those of its priority (J9)
    run_at INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    flags INTEGER NOT NULL,        -- 1: told to stop; the other bits are later layouts' and stay
    holder INTEGER,                -- of the claim that has it; NULL unless running (J2)
    expires INTEGER,               -- NULL: stays until it is removed (J13)
    kind TEXT NOT NULL,
    terms BLOB NOT NULL,           -- as pushed: record.c
    body BLOB,                     -- NULL: in the table body, so that no transition rewrites it
    past BLOB,                     -- the latest lease that ended, and the history: record.c
    error BLOB,                    -- of the latest failed attempt: record.c
    result BLOB);
-- The id first: texts are compared faster where they lead.
CREATE UNIQUE INDEX job_id ON job(id, queue);
CREATE INDEX job_ready ON job(queue, priority, seq) WHERE state = 2;
CREATE INDEX job_due ON job(queue, run_at) WHERE state = 1;
CREATE INDEX job_held ON job(holder) WHERE holder IS NOT NULL;
CREATE INDEX job_expiry ON job(queue, expires) WHERE expires IS NOT NULL;

CREATE TABLE body(job INTEGER PRIMARY KEY, data BLOB NOT NULL);

-- A claim is one lease over the jobs that one exchange brought; it goes with the last of them.
CREATE TABLE claim(
    holder INTEGER PRIMARY KEY,
    queue INTEGER NOT NULL,
    token INTEGER NOT NULL,
    worker TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    deadline INTEGER NOT NULL,
    jobs INTEGER NOT NULL,         -- how many it still has
    large INTEGER NOT NULL,        -- some have their body in the table body
    marked INTEGER NOT NULL);      -- some may be told to stop
CREATE INDEX claim_deadline ON claim(queue, deadline);

-- What the latest request of an asker came to, for its repeat (J7).
CREATE TABLE lane(
    queue INTEGER NOT NULL,
    lane INTEGER NOT NULL,
    number INTEGER NOT NULL,
    statuses BLOB NOT NULL,
    used_at INTEGER NOT NULL,
    PRIMARY KEY(queue, lane)) WITHOUT ROWID;

CREATE TABLE event(
    queue INTEGER NOT NULL,
    number INTEGER NOT NULL,
    type INTEGER NOT NULL,
    state INTEGER NOT NULL,
    at INTEGER NOT NULL,
    id TEXT NOT NULL,
    worker TEXT,
    token INTEGER NOT NULL,
    PRIMARY KEY(queue, number)) WITHOUT ROWID;

CREATE TABLE worker(
    space TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    queues TEXT NOT NULL,
    threads INTEGER NOT NULL,
    running INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    degraded_since INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    PRIMARY KEY(space, id)) WITHOUT ROWID;
