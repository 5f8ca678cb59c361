-- exchange: hand in, then promote, then claim.
-- ARGV   3 lane or '', 4 number of the request (8 bytes each, raw); 5 how many are wanted, 6 lease
--        in ms, 7 holder (raw), 8 worker; 9 what outcomes may come to: letters of NEEDS; then runs
--        of outcomes under one lease: kind, lease, how many, and per outcome
--          of kind d (done, nothing kept):  id
--          of kind o (any other):           id, fixed, history, error, result
--        fixed: ending, state, attempt (3), delay (6), keep (6), bits: 1 by proxy, 2 has an error,
--        4 has a result
-- Answer { head, a letter per outcome: o ok, f fenced, s state; ids, records, parts }
--        head: bits (1 replayed, 2 paused, 4 more are ready), token (7), now (6), due (6); or 'late'
--        alone if a later request of that lane was answered
-- A full server does not stop it.
--#include "common.lua"
local lane, number, want = ARGV[3], ARGV[4], tonumber(ARGV[5])
local LANE_KEPT, TAKE_BYTES, STALE_MAX = 3600000, 67108864, 1000
local HANDED_BACK, LAPSED = 4, 5 -- endings
local NO_HOLDER = string.rep('\0', 8)
local statuses, ids, records, parts, changed = {}, {}, {}, {}, false
local claimed = 0 -- the token of what this brings

local function answer(replayed)
  local bits = replayed + (has(flags, PAUSED) ~= 0 and 2 or 0) + (n[READY] > 0 and 4 or 0)
  return { pack('>BI7I6I6', bits, claimed, now, due), table.concat(statuses), ids, records, parts }
end

-- ---- a repeat (J7) ----
local known_lane = lane ~= '' and call('HGET', lanes, lane)
if known_lane and parse('>I6', known_lane, 16) + LANE_KEPT > now then
  local high, low = parse('>I4I4', number)
  local last_high, last_low = parse('>I4I4', known_lane)
  if high < last_high or (high == last_high and low < last_low) then return { 'late' } end
  if high == last_high and low == last_low then
--#include "show.lua"
    statuses[1] = sub(known_lane, 22)
    local name = ARGV[7] .. sub(known_lane, 9, 15)
    local claim = claim_part(name)
    local all = claim and cmsgpack.unpack(sub(call('HGET', claims, name), #claim - 5)) or {}
    local found = #all > 0 and get(all) or {}
    for i = 1, #all do
      local v = found[i]
      if v and byte(v, 2) == RUNNING and sub(v, 28, 42) == name then
        ids[#ids + 1], records[#records + 1] = all[i], v
        if #ids == 1 then add_part(parts, 0, 'c', claim) end
        add_parts(parts, #ids, all[i], v)
      end
    end
    if #ids > 0 then claimed = parse('>I7', known_lane, 9) end
    return answer(1)
  end
end

-- ---- outcomes ----
-- Wrong types are met before the first write.
local NEEDS = { k = kept, d = delayed, f = failed, b = back, m = marks, h = result }
for letter in string.gmatch(ARGV[9], '.') do
  if letter == 'r' then
    for _, key in pairs(ready) do call('LLEN', key) end
  else
    call(letter == 'h' and 'HLEN' or 'ZCARD', NEEDS[letter])
  end
end

-- So many jobs of a claim were handed in; before they were, it had count.
local function let_go(name, count, taken)
  if tonumber(count or 0) > taken then
    call('HSET', claims, name .. '#', count - taken)
  else
    call('HDEL', claims, name, name .. '#')
    try('ZREM', lease, name)
  end
end

local at = 10
while at < #ARGV do
  local kind, name, count = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
  local width = kind == 'd' and 1 or 5
  local first, last = at + 3, at + 2 + width * count
  local ours = {}
  for i = 1, count do ours[i] = ARGV[first + width * (i - 1)] end
  local found = known and get(ours) or {}
  local plain = kind == 'd' and known and has(flags, WATCHED) == 0
  for i = 1, plain and count or 0 do
    local state, _, flags_ = byte(found[i] or '', 2, 4)
    plain = state == RUNNING and has(flags_, ELSEWHERE + CANCELLING) == 0 and
            sub(found[i], 28, 42) == name
    if not plain then break end
  end
  local has_jobs = plain and call('HGET', claims, name .. '#')
  if plain and drop(ours) == count then
    n[RUNNING], finished, changed = n[RUNNING] - count, finished + count, true
    statuses[#statuses + 1] = string.rep('o', count)
    let_go(name, has_jobs, count)
  elseif known then
--#include "place.lua"
--#include "events.lua"
--#include "finish.lua"
  else
    for i = first, last, width do
      local by_proxy = kind == 'o' and has(byte(ARGV[i + 1], 18), 1) ~= 0
      statuses[#statuses + 1] = by_proxy and 's' or 'f'
    end
  end
  at = last + 1
end

-- ---- due jobs ----
if want > 0 and due ~= 0 and due <= now then
--#include "place.lua"
  if promote() > 0 then changed = true end
end

-- ---- claim ----
if want > 0 and n[READY] > 0 and has(flags, PAUSED) == 0 then
  token = math.max(token + 1, now_us) -- J4
  local name = ARGV[7] .. pack('>I7', token)
  local pairs_, got, bytes, looks, elsewhere = {}, 0, 0, 0, false

  -- Takes those whose entries are good. Returns where it stopped short.
  local function take(entries)
    local theirs = {}
    for i = 1, #entries do theirs[i] = sub(entries[i], 7) end
    local found = get(theirs)
    looks = looks + #entries
    for i = 1, #entries do
      local v = found[i]
      local state, _, flags_, _, _, tried = byte(v or '', 2, 7)
      if state == READY and sub(v, 10, 15) == sub(entries[i], 1, 6) then
        if bytes >= TAKE_BYTES then return i end -- J11
        if has(flags_, ELSEWHERE) ~= 0 then
          elsewhere = true
          if has(flags_, LARGE_BODY) ~= 0 then
            bytes = bytes + parse('>I4', v, HEAD + parse('>I2', v, 8) - 3)
          end
        end
        got = got + 1
        local attempt = tried < 255 and sub(v, 5, 6) .. string.char(tried + 1) or
                        pack('>I3', parse('>I3', v, 5) + 1)
        v = '\1\3' .. sub(v, 3, 4) .. attempt .. sub(v, 8, 27) .. name .. sub(v, 43)
        ids[got], records[got] = theirs[i], v
        pairs_[2 * got - 1], pairs_[2 * got] = theirs[i], v
      end
    end
  end

  local function give_back(level, entry_) -- to the head of its line
    call('LPUSH', ready[level], entry_)
    levels = with(levels, bit.lshift(1, level))
  end

  -- Returns whether enough was taken.
  local function take_back(level)
    local low = level * 281474976710656
    local entries = call('ZRANGEBYSCORE', back, int(low), '(' .. int(low + 281474976710656),
                         'LIMIT', 0, want - got)
    local stop = #entries > 0 and take(entries)
    local last = stop and stop - 1 or #entries
    if last > 0 then call('ZREM', back, unpack(entries, 1, last)) end
    return stop or got == want
  end

  local function take_listed(level)
    while got < want and looks < STALE_MAX do
      local wanted = want - got
      local entries = call('LPOP', ready[level], wanted)
      local stop = entries and take(entries)
      if stop then
        for i = #entries, stop, -1 do give_back(level, entries[i]) end
        return true
      end
      if not entries or #entries < wanted then
        levels = without(levels, bit.lshift(1, level))
        return got == want
      end
    end
    return true
  end

  if levels == 256 and has(flags, HAS_BACK) == 0 then
    take_listed(8)
  else
    local handed_back = has(flags, HAS_BACK) ~= 0
    for level = 0, 15 do
      if handed_back and take_back(level) then break end
      if has(levels, bit.lshift(1, level)) ~= 0 and take_listed(level) then break end
    end
    if handed_back and call('EXISTS', back) == 0 then flags = without(flags, HAS_BACK) end
  end

  if got > 0 then
    local lease_ms = tonumber(ARGV[6])
    local about = pack('>I6Bc0', now, #ARGV[8], ARGV[8])
    local failure = try('ZADD', lease, int(now + lease_ms), name)
    if type(failure) == 'number' then
      failure = try('HSET', claims, name, about .. cmsgpack.pack(ids), name .. '#', got)
      if type(failure) ~= 'number' then call('ZREM', lease, name) end
    end
    if type(failure) ~= 'number' then -- a key of a wrong type: the jobs stay where they are
      for i = got, 1, -1 do give_back(byte(records[i], 3), sub(records[i], 10, 15) .. ids[i]) end
      if not changed then return failure end
      ids, records = {}, {}
    else
      put(pairs_)
      n[READY], n[RUNNING], changed = n[READY] - got, n[RUNNING] + got, true
      if lease_ms > longest then longest = lease_ms end
      parts = { 0, 'c', pack('>I6', now + lease_ms) .. about }
      if elsewhere then
--#include "show.lua"
        for i = 1, got do
          if has(byte(records[i], 4), ELSEWHERE) ~= 0 then add_parts(parts, i, ids[i], records[i]) end
        end
      end
      if has(flags, WATCHED) ~= 0 then
--#include "events.lua"
        for i = 1, got do tell(2, RUNNING, ids[i], ARGV[8], name) end
        write_events()
      end
      claimed = token
    end
  end
end

if changed then
  if lane ~= '' then
    call('HSET', lanes, lane, number .. pack('>I7I6', claimed, now) .. table.concat(statuses))
    if not known_lane then try('ZADD', silent, int(now), lane) end
  end
  save()
  ring()
end
return answer(0)
