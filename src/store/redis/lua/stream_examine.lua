-- examine: what of a group lacks what it belongs to. One part, in small steps.
-- ARGV   4 part: stream, lease or held; 5 cursor; 6 whether to mend
-- Answer { cursor, streams without an entry, owned ones without a deadline, litter }
--#include "group.lua"
--#include "entries.lua"
local part, cursor, mend = ARGV[4], ARGV[5], ARGV[6] == '1'
local lost, endless, litter = 0, 0, 0
meet()

-- A stream that waits and has no entry is never handed out, and can never be offered again. That of an
-- owner is told lost by his next renewal. One without a deadline would be owned for ever.
local function examine_record(name, v)
  local r = open(v)
  if r.state == WAITING and not entry_at(r.entry) then
    lost = lost + 1
    if mend then call('HDEL', stream, name) end
  elseif r.state == OWNED and deadline_of(name) == 0 then
    endless = endless + 1
    if mend then call('ZADD', lease, int(now), name) end
  end
end

local function examine_lease(name)
  local r = get(name)
  if r and r.state == OWNED then return end
  litter = litter + 1
  if mend then call('ZREM', lease, name) end
end

local function examine_held(member)
  local r = get(sub(member, 9))
  if r and r.state == OWNED and sub(r.lease, 1, 8) == sub(member, 1, 8) then return end
  litter = litter + 1
  if mend then call('ZREM', held, member) end
end

local PARTS = { stream = { stream, examine_record }, lease = { lease, examine_lease },
                held = { held, examine_held } }
local key, examine = unpack(PARTS[part])
local found = call(part == 'stream' and 'HSCAN' or 'ZSCAN', key, cursor, 'COUNT', 100)
for i = 1, #found[2], 2 do examine(found[2][i], found[2][i + 1]) end
return { found[1], lost, endless, litter }
