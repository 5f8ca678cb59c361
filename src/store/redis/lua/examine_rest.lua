-- examine: what belongs to records, held against them.
-- ARGV 3 the name of a key, 4 a cursor, 5 whether to mend, 0 or 1.
-- Answers { cursor, how many lack what they belong to }.
--#include "common.lua"
--#include "place.lua"
--#include "types.lua"
--#include "holders.lua"
local mend, found = ARGV[5] == '1', 0
spread = true -- whatever the meta says
if mend then
  meet()
  open_full()
end
look_claimed_to()

local function record(id)
  local v = get({ id })[1]
  local readable, r = pcall(open, v or '')
  return readable and r
end

local function has_place(state, line)
  return function(member_)
    local r = record(sub(member_, 7))
    local stays = r and sub(member_, 1, 6) == pack('>I6', r[line]) and state(r)
    return stays
  end
end

-- The same of a set that has several keys: the one looked at is where it would be looked for.
local function holds_in(set, state)
  local belongs = has_place(state, 'number')
  return function(member_, key) return belongs(member_) and sets.find(set, member_) == key end
end

local function has_flag(flag)
  return function(id)
    local r = record(id)
    return r and has(r.flags, flag) ~= 0
  end
end

-- Whether a member of a sorted set belongs there.
local members = {
  delayed = holds_in(delayed, function(r) return r.state == DELAYED end),
  kept = holds_in(kept, function(r) return r.state >= DONE and r.expires ~= 0 end),
  failed = holds_in(failed, function(r) return r.state == FAILED end),
  back = has_place(function(r) return r.state == READY end, 'seq'),
  lease = function(name) return call('HEXISTS', claims, name) == 1 end,
  silent = function(lane) return call('HEXISTS', lanes, lane) == 1 end,
  marks = function(mark)
    local r = record(sub(mark, 16))
    return r and r.state == RUNNING and r.claim == sub(mark, 1, 15) and has(r.flags, CANCELLING) ~= 0
  end,
}
-- The same of a field of a hash.
local fields = {
  body = has_flag(LARGE_BODY), result = has_flag(LARGE_RESULT), notes = has_flag(NOTED),
}
local keys = {
  delayed = delayed, kept = kept, failed = failed, back = back, lease = lease, silent = silent,
  marks = marks, body = body, result = result, notes = notes,
}

-- Raises an error if they cannot be read.
local function ids_of(name, claim)
  local ids = holds.ids(name, claim)
  for _, id in ipairs(ids) do sub(id, 1) end
  return ids
end

local function jobs_of(name, claim)
  local readable, ids = pcall(ids_of, name, claim)
  local running = 0
  if not readable or #ids == 0 then return 0 end
  for _, v in ipairs(get(ids)) do
    if v and holds.record(name, claim, v) then running = running + 1 end
  end
  return running
end

-- A claim has a lease, and counts its jobs. One without a lease lapses now. Ids belong to a claim.
local function look_at_claim(name, claim)
  if #name == 16 then
    if call('HEXISTS', claims, sub(name, 1, 15)) == 1 then return end
    if mend then call('HDEL', claims, name) end
    return true
  end
  local count = jobs_of(name, claim)
  local right = count > 0 and parse('>I2', claim) == count
  local leased = call('ZSCORE', lease, name)
  if right and leased then return end
  if mend and count == 0 then
    holds.let_go(name)
  elseif mend then
    call('HSET', claims, name, pack('>I2', count) .. sub(claim, 3))
    if not leased then call('ZADD', lease, int(now), name) end
  end
  return true
end

-- A lane that is not among the silent ones is never forgotten.
local function look_at_lane(lane)
  if call('ZSCORE', silent, lane) then return end
  if mend then call('ZADD', silent, int(now), lane) end
  return true
end

-- The cursor of a set with several keys is that of ZSCAN in one of them, and which one: walk.lua.
local function scan_set(set, cursor)
  local number, all = tonumber(cursor), sets.keys(set)
  local which = number % 32
  local key = all[1 + which]
  local reply = call('ZSCAN', key, int((number - which) / 32), 'COUNT', 200)
  if reply[1] ~= '0' then
    reply[1] = int(tonumber(reply[1]) * 32 + which)
    return reply, key
  end
  repeat which = which + 1 until which == #all or call('ZCARD', all[1 + which]) > 0
  if which < #all then reply[1] = int(which) end
  return reply, key
end

-- Offers that nobody can have made (give.lua).
if ARGV[3] == 'offers' then
  for _, offer in ipairs(call('LRANGE', offers, 0, 999)) do
    if #offer < 36 or string.find(sub(offer, 7, 22), '%X') then
      found = found + 1
      if mend then call('LREM', offers, 0, offer) end
    end
  end
  return { '0', found }
end

local name = ARGV[3]
local reply, key = nil, keys[ARGV[3]]
if members[name] then
  reply, key = scan_set(key, ARGV[4])
elseif fields[name] then
  reply = call('HSCAN', key, ARGV[4], 'COUNT', 2) -- they may be large
else
  reply = call('HSCAN', name == 'claims' and claims or lanes, ARGV[4], 'COUNT', 100)
end
for i = 1, #reply[2], 2 do
  local item = reply[2][i]
  if name == 'claims' or name == 'lanes' then
    local look_at = name == 'claims' and look_at_claim or look_at_lane
    if look_at(item, reply[2][i + 1]) then found = found + 1 end
  elseif not (members[name] or fields[name])(item, key) then
    found = found + 1
    if mend then call(members[name] and 'ZREM' or 'HDEL', key, item) end
  end
end
return { reply[1], found }
