-- Groups whose counts are not those of their streams and dead letters, or whose tokens or places
-- ran backwards (J4).
SELECT space, name FROM stream_group AS g
WHERE waiting <> (SELECT count(*) FROM stream WHERE grp = g.n AND holder = 0)
   OR owned <> (SELECT count(*) FROM stream WHERE grp = g.n AND holder <> 0)
   OR failed <> (SELECT count(*) FROM stream_letter WHERE grp = g.n)
   OR token < (SELECT ifnull(max(token), 0) FROM stream WHERE grp = g.n)
   OR seq < (SELECT ifnull(max(seq), 0) FROM stream WHERE grp = g.n)
