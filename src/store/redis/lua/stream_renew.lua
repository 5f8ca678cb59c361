-- renew: new deadlines for ownerships that stand (S5).
-- ARGV   from 4 on, for each: name, lease (15 bytes), its length in ms
-- Answer a digit for each: 0 renewed, 1 lost, 2 renewed and asked to yield
-- There may be many: records are not taken apart, but looked at in their places (group.lua).
--#include "group.lua"
--#include "entries.lua"
local n, names, answers, kept = (#ARGV - 3) / 3, {}, {}, {}
for i = 1, n do names[i] = ARGV[1 + 3 * i] end
local records, deadlines = call('HMGET', stream, unpack(names)), call('ZMSCORE', lease, unpack(names))
for i = 1, n do
  local v, deadline = records[i], deadlines[i]
  answers[i] = '1'
  if v and deadline and byte(v, 2) == OWNED and sub(v, 4, 18) == ARGV[2 + 3 * i] and tonumber(deadline) > now then
    kept[#kept + 1] = i
  end
end

-- Where there are strangers: the entry stays pending, and is idle no more, so that those who go by that see
-- that the owner lives. One that is not pending was taken away. Tells which are left.
local function hold_on()
  local by_entry, by_owner, held_on = {}, {}, {}
  for _, i in ipairs(kept) do
    local r = open(records[i])
    by_entry[r.entry], by_owner[r.owner] = i, by_owner[r.owner] or {}
    table.insert(by_owner[r.owner], r.entry)
  end
  for owner, entries in pairs(by_owner) do
    entries[#entries + 1], entries[#entries + 2], entries[#entries + 3] = 'IDLE', 0, 'JUSTID'
    local claimed = redis.pcall('XCLAIM', input, readers, owner, 0, unpack(entries))
    for _, id in ipairs(claimed.err and {} or claimed) do
      local i = by_entry[id]
      held_on[#held_on + 1] = i
      lock(names[i], id, owner, tonumber(ARGV[3 + 3 * i]))
    end
  end
  return held_on
end

if #kept > 0 then meet() end
if #kept > 0 and layout ~= OWN then kept = hold_on() end
local scores = {}
for _, i in ipairs(kept) do
  local v, ms = records[i], tonumber(ARGV[3 + 3 * i])
  answers[i] = byte(v, 3) == YIELD and '2' or '0'
  scores[#scores + 1], scores[#scores + 2] = int(now + ms), names[i]
  if parse('>I4', v, 34) ~= ms then
    call('HSET', stream, names[i], sub(v, 1, 33) .. pack('>I4', ms) .. sub(v, 38))
  end
end
if #scores > 0 then call('ZADD', lease, unpack(scores)) end
return tell(table.concat(answers))
