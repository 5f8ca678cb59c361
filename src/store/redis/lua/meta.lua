-- Writes the meta. Its version tells what stands at its end: see head.lua.
text = pack(HOT, sharded + (over > 0 and (n[1] + n[4] + n[5] + n[6] > 0 and 6 or 2) or 1) + (claimed_to > 0 and 8 or 0),
            flags, levels, used, longest, token, seq, due, pushed, finished, n[1], n[2], n[3], n[4],
            n[5], n[6]) .. rest .. (over > 0 and pack('>I6', over) or '') ..
       (claimed_to > 0 and pack('>I6', claimed_to) or '')
-- Where nothing is cut off: the answer to SET is a table, which costs as much as a command.
if #text < size then call('SET', meta, text) else call('SETRANGE', meta, '0', text) end
