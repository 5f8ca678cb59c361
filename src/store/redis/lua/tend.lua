-- tend: due jobs become ready; records kept long enough, failed ones beyond the bound, silent lanes
-- and old events go; leases that no clock explains are cut short.
-- ARGV   3 records that go at most, 4 for how long lanes and 5 events are kept, ms
-- Answer { promoted, expired, when the next is due or expires, when the first lease is over: ms from now, -1 if
--        there is none }
-- A full server does not stop it.
--#include "common.lua"
--#include "place.lua"
--#include "types.lua"
if not known then return { 0, 0, -1, -1 } end
local most, changed = tonumber(ARGV[3]), false
meet()

local promoted = promote()

-- Most have nothing elsewhere, and go together; whether one does is seen without taking it apart.
local function expires_plainly(v)
  local flags_, high, low = byte(v, 46, 48)
  local state = byte(v, 2)
  if (state ~= DONE and state ~= CANCELLED) or has(flags_, PAST + ELSEWHERE) ~= PAST then return false end
  local expires = parse('>I6', v, HEAD + 1 + high * 256 + low)
  return expires ~= 0 and expires <= now
end

local function expire_one(id, r)
  if r.state < DONE or r.expires == 0 or r.expires > now then return 0 end
  r.expires = 0 -- its entry is out already
  leave(id, r)
  erase(id, r)
  return 1
end

local function expire_from(key, most_)
  local members, ids = call('ZRANGEBYSCORE', key, '-inf', int(now), 'LIMIT', 0, most_), {}
  if #members == 0 then return 0 end
  for i = 1, #members do ids[i] = sub(members[i], 7) end
  call('ZREM', key, unpack(members))
  local records, plain, others = get(ids), {}, 0
  for i = 1, #ids do
    local v = records[i]
    if v and expires_plainly(v) then
      n[byte(v, 2)] = n[byte(v, 2)] - 1
      plain[#plain + 1] = ids[i]
    elseif v then
      others = others + expire_one(ids[i], open(v))
    end
  end
  if #plain > 0 then drop(plain) end
  more().expired = cold.expired + #plain + others -- J12
  return #members
end

local function expire()
  local count = 0
  for _, key in ipairs(sets.keys(kept)) do
    if count < most then count = count + expire_from(key, most - count) end
  end
  return count
end

-- A lane was scored when it came; since then it may have been used.
local function forget_lanes()
  local before = now - tonumber(ARGV[4])
  local old = call('ZRANGEBYSCORE', silent, '-inf', int(before), 'LIMIT', 0, most)
  for _, lane in ipairs(old) do
    local v = call('HGET', lanes, lane)
    local used_at = v and #v > 20 and parse('>I6', v, 16) -- or it is none of ours
    if used_at and used_at > before then
      call('ZADD', silent, int(used_at), lane)
    else
      call('ZREM', silent, lane)
      call('HDEL', lanes, lane)
    end
  end
end

local function forget_events()
  local before = now - tonumber(ARGV[5])
  for _ = 1, most do
    local first = call('LINDEX', events, 0)
    if not first or (#first > 7 and parse('>I6', first, 3) > before) then return end
    call('LPOP', events)
  end
end

-- Of those who did not come back. Who stands longer may be before them: then they are met later. Nobody
-- stands for a minute, but by a clock that was set back since.
local function forget_offers()
  for _ = 1, most do
    local first = call('LINDEX', offers, 0)
    if not first then return end
    local left = #first > 35 and parse('>I6', first) - now or 0
    if left > 0 and left <= 60000 then return end
    call('LPOP', offers)
  end
end

-- After a step back of the server's clock, a lease may seem to last for ever: none outlives the
-- longest that was ever asked for.
local function cut_leases()
  local latest = now + longest
  local far = call('ZRANGEBYSCORE', lease, '(' .. int(latest), '+inf', 'LIMIT', 0, most)
  for _, name in ipairs(far) do call('ZADD', lease, 'XX', int(latest), name) end
end

-- Entries of jobs that have left need not wait to be met by a claim if nothing else is there.
local function clear_lines()
  if n[READY] > 0 or levels == 0 then return end
  for _, key in pairs(ready) do call('UNLINK', key) end
  call('UNLINK', stale)
  levels, flags, changed = 0, without(flags, HAS_STALE), true
end

local function forget_parts()
  if has(flags, HAS_PARTS) == 0 or call('EXISTS', body, result, notes) > 0 then return end
  flags, changed = without(flags, HAS_PARTS), true
end

open_full()
local expired = expire() + #trim(most)
forget_lanes()
forget_offers()
forget_events()
cut_leases()
clear_lines()
forget_parts()
if promoted > 0 or expired > 0 or changed then save() end
if promoted > 0 then ring() end

local next_at = sets.lowest(kept)
if due ~= 0 and (next_at == 0 or due < next_at) then next_at = due end
local left = next_at == 0 and -1 or math.max(next_at - now, 0)
if is_beyond() then left = 0 end
local first = n[RUNNING] > 0 and call('ZRANGEBYSCORE', lease, '-inf', '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
return { promoted, expired, left, first and math.max(tonumber(first) - now, 0) or -1 }
