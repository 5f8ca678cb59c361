-- exchange: hand in, then promote, then claim.
-- ARGV   3 lane or '', 4 number of the request (8 bytes each, raw); 5 how many are wanted, 6 lease
--        in ms, 7 holder (raw), 8 worker; 9 what outcomes may come to: letters of NEEDS; then runs
--        of outcomes under one lease: kind, lease, how many, and per outcome
--          of kind d (done, nothing kept):  id
--          of kind o (any other):           id, fixed, history, error, result
--        fixed: ending, state, attempt (3), delay (6), keep (6), bits: 1 by proxy, 2 has an error,
--        4 has a result
-- Answer { head, a letter per outcome: o ok, f fenced, s state, or '' if all are ok; ids, records,
--        parts }
--        head: bits (1 replayed, 2 paused, 4 more are ready), token (7), now (6), due (6); or 'late'
--        alone if a later request of that lane was answered
-- A full server does not stop it.
--#include "common.lua"
local lane, number, want, arg_count = ARGV[3], ARGV[4], tonumber(ARGV[5]), #ARGV
local LANE_KEPT, TAKE_BYTES, STALE_MAX = 3600000, 67108864, 1000
local HANDED_BACK, LAPSED = 4, 5 -- endings
local NO_HOLDER = '\0\0\0\0\0\0\0\0'
local statuses, ids, records, parts, changed = '', {}, {}, {}, false
local claimed = 0 -- the token of what this brings

local function answer(replayed)
  local bits = replayed + (has(flags, PAUSED) ~= 0 and 2 or 0) + (n[READY] > 0 and 4 or 0)
  return { pack('>BI7I6I6', bits, claimed, now, due), statuses, ids, records, parts }
end

-- ---- a repeat (J7) ----
local known_lane = lane ~= '' and call('HGET', lanes, lane)
if known_lane and parse('>I6', known_lane, 16) + LANE_KEPT > now then
  local high, low = parse('>I4I4', number)
  local last_high, last_low = parse('>I4I4', known_lane)
  if high < last_high or (high == last_high and low < last_low) then return { 'late' } end
  if high == last_high and low == last_low then
--#include "show.lua"
    statuses = sub(known_lane, 22)
    local name = ARGV[7] .. sub(known_lane, 9, 15)
    local about, all = claim_part(name)
    all = about and cmsgpack.unpack(all) or {}
    local found = #all > 0 and get(all) or {}
    for i = 1, #all do
      local v = found[i]
      if v and byte(v, 2) == RUNNING and sub(v, 6, 20) == name then
        ids[#ids + 1], records[#records + 1] = all[i], v
        if #ids == 1 then add_part(parts, 0, 'c', about) end
        add_parts(parts, #ids, all[i], v)
      end
    end
    if #ids > 0 then claimed = parse('>I7', known_lane, 9) end
    return answer(1)
  end
end

-- ---- outcomes ----
if ARGV[9] ~= '' then -- wrong types are met before the first write
  local NEEDS = { k = kept, d = delayed, f = failed, b = back, m = marks, h = result }
  for letter in string.gmatch(ARGV[9], '.') do
    if letter == 'r' then
      for _, key in pairs(ready) do call('LLEN', key) end
    else
      call(letter == 'h' and 'HLEN' or 'ZCARD', NEEDS[letter])
    end
  end
end

-- So many jobs of a claim were handed in.
local function let_go(name, claim, taken)
  local left = claim and parse('>I2', claim) - taken or 0
  if left > 0 then
    call('HSET', claims, name, pack('>I2', left) .. sub(claim, 3))
  else
    call('HDEL', claims, name)
    try('ZREM', lease, name)
  end
end

-- Are all of them, none twice, under the claim? If they are all it ever had, the claim says so
-- itself (J2); else their records do.
local function are_held(ours, count, name, claim)
  if not claim then return false end
  if parse('>I2', claim) == count and sub(claim, 10 + byte(claim, 9)) == cmsgpack.pack(ours) then
    return true
  end
  local found, seen = get(ours), {}
  for i = 1, count do
    local v, id = found[i], ours[i]
    if not v or byte(v, 2) ~= RUNNING or sub(v, 6, 20) ~= name or seen[id] then return false end
    seen[id] = true
  end
  return true
end

local at, handed_in = 10, 0
while at < arg_count do
  local kind, name, count = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
  local width = kind == 'd' and 1 or 5
  local first, last = at + 3, at + 2 + width * count
  local ours
  if width == 1 then
    ours = { unpack(ARGV, first, last) }
  else
    ours = {}
    for i = 1, count do ours[i] = ARGV[first + width * (i - 1)] end
  end
  local claim = known and call('HGET', claims, name)
  local plain = width == 1 and has(flags, WATCHED + HAS_MARKS + HAS_PARTS) == 0 and
                are_held(ours, count, name, claim)
  local found = not plain and known and get(ours)
  if plain then
    drop(ours)
    n[RUNNING], finished, changed = n[RUNNING] - count, finished + count, true
    if statuses ~= '' then statuses = statuses .. string.rep('o', count) end
    let_go(name, claim, count)
  elseif known then
--#include "place.lua"
--#include "events.lua"
--#include "finish.lua"
  else
    for i = first, last, width do
      local by_proxy = kind == 'o' and has(byte(ARGV[i + 1], 18), 1) ~= 0
      statuses = statuses .. (by_proxy and 's' or 'f')
    end
  end
  at, handed_in = last + 1, handed_in + count
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

  -- What a record begins with under this claim, by the attempts before it.
  local heads = { ['\0\0\0'] = '\1\3\0\0\1' .. name }
  local function head_after(attempt)
    heads[attempt] = '\1\3' .. pack('>I3', parse('>I3', attempt) + 1) .. name
    return heads[attempt]
  end

  local has_parts = has(flags, HAS_PARTS) ~= 0
  local function look_elsewhere(v)
    local flags_ = byte(v, 28)
    if has(flags_, ELSEWHERE) == 0 then return end
    elsewhere = true
    if has(flags_, LARGE_BODY) ~= 0 then
      bytes = bytes + parse('>I4', v, HEAD + parse('>I2', v, 29) - 3)
    end
  end

  -- Takes those whose entries are good. Returns where it stopped short.
  local function take(entries)
    local count, theirs, k = #entries, {}, 2 * got
    for i = 1, count do theirs[i] = sub(entries[i], 7) end
    local found = get(theirs)
    looks = looks + count
    for i = 1, count do
      local v, id = found[i], theirs[i]
      if v and sub(v, 21, 26) == sub(entries[i], 1, 6) then
        if has_parts then
          if bytes >= TAKE_BYTES then return i end -- J11
          look_elsewhere(v)
        end
        local attempt = sub(v, 3, 5)
        v = (heads[attempt] or head_after(attempt)) .. sub(v, 21)
        got, k = got + 1, k + 2
        ids[got], records[got], pairs_[k - 1], pairs_[k] = id, v, id, v
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
      failure = try('HSET', claims, name, pack('>I2', got) .. about .. cmsgpack.pack(ids))
      if type(failure) ~= 'number' then call('ZREM', lease, name) end
    end
    if type(failure) ~= 'number' then -- a key of a wrong type: the jobs stay where they are
      for i = got, 1, -1 do give_back(byte(records[i], 27), sub(records[i], 21, 26) .. ids[i]) end
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
          if has(byte(records[i], 28), ELSEWHERE) ~= 0 then add_parts(parts, i, ids[i], records[i]) end
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
    call('HSET', lanes, lane, number .. pack('>I7I6', claimed, now) .. statuses)
    if not known_lane then try('ZADD', silent, int(now), lane) end
  end
  save()
  ring()
end
return answer(0)
