-- What running jobs tell of themselves, bounds of queues, kinds of workers. A library that knows
-- only 001 goes on working beside: it leaves all of this as it is, and what it leaves behind of a
-- note is never taken for another job's. It does not keep to bounds, so the first bound that is set
-- closes the file to it (set_close.sql). Never edit this file: add 003.sql.

ALTER TABLE queue ADD COLUMN bounds BLOB; -- and what went by them: queue.c. NULL: none

-- Of a job with 2 in its flags. Number 0 is its progress, the others are the lines of its log.
CREATE TABLE note(
    job INTEGER NOT NULL,
    number INTEGER NOT NULL,
    value NOT NULL,
    PRIMARY KEY(job, number)) WITHOUT ROWID;

ALTER TABLE worker ADD COLUMN kinds TEXT NOT NULL DEFAULT '';
