-- renew: new deadlines for ownerships that stand (S5).
-- ARGV   from 4 on, for each: name, lease (15 bytes), its length in ms
-- Answer a digit for each: 0 renewed, 1 lost, 2 renewed and asked to yield
--#include "group.lua"
--#include "entries.lua"
local n, names, answers = (#ARGV - 3) / 3, {}, {}
for i = 1, n do names[i] = ARGV[1 + 3 * i] end
local records, deadlines = call('HMGET', stream, unpack(names)), call('ZMSCORE', lease, unpack(names))
local standing, by_owner = {}, {}
for i = 1, n do
  local r = records[i] and open(records[i])
  answers[i] = 1
  if r and r.state == OWNED and r.lease == ARGV[2 + 3 * i] and tonumber(deadlines[i] or 0) > now then
    standing[r.entry] = { i, r }
    by_owner[r.owner] = by_owner[r.owner] or {}
    table.insert(by_owner[r.owner], r.entry)
  end
end
if not next(standing) then return tell(table.concat(answers)) end

-- The entry stays pending, and is idle no more: so those who go by that see that the owner lives. One
-- that is not pending was taken away by a stranger.
meet()
local scores = {}
for owner, entries in pairs(by_owner) do
  entries[#entries + 1], entries[#entries + 2], entries[#entries + 3] = 'IDLE', 0, 'JUSTID'
  local kept = redis.pcall('XCLAIM', input, readers, owner, 0, unpack(entries))
  for _, id in ipairs(kept.err and {} or kept) do
    local i, r = unpack(standing[id])
    local ms = tonumber(ARGV[3 + 3 * i])
    answers[i] = r.flags == YIELD and 2 or 0
    scores[#scores + 1], scores[#scores + 2] = int(now + ms), names[i]
    if ms ~= r.lease_ms then
      r.lease_ms = ms
      put(names[i], r)
    end
    lock(names[i], id, owner, ms)
  end
end
if #scores > 0 then call('ZADD', lease, unpack(scores)) end
return tell(table.concat(answers))
