-- All groups are counted anew.
UPDATE stream_group AS g SET
    waiting = (SELECT count(*) FROM stream WHERE grp = g.n AND holder = 0),
    owned = (SELECT count(*) FROM stream WHERE grp = g.n AND holder <> 0),
    failed = (SELECT count(*) FROM stream_letter WHERE grp = g.n),
    token = max(token, (SELECT ifnull(max(token), 0) FROM stream WHERE grp = g.n)),
    seq = max(seq, (SELECT ifnull(max(seq), 0) FROM stream WHERE grp = g.n))
