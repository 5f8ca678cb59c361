-- Jobs that do not run and yet have a holder (J2). One row: how many.
SELECT count(*) FROM job WHERE holder IS NOT NULL AND state <> 3
