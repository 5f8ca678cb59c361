-- Part of exchange.lua: due jobs become ready, then some are claimed, whatever there is to heed.
if promote() > 0 then changed = true end
if n[READY] > 0 and has(flags, PAUSED) == 0 then
  token = math.max(token + 1, now_us) -- J4
  if shards > 1 then token = token - token % 64 + 64 + shard end -- so it names its shard
  local name = holder .. pack('>I7', token)
  local pairs_, got, bytes, looks, elsewhere = {}, 0, 0, 0, false
  local taken = {} -- a repair may leave one both in line and among those that were handed back

  local suffix, first_place, last_place, in_hand = '\3\0\0\1' .. name, 0, 0, nil
  local function claimed_record(v)
    if byte(v, 46) < PAST then return v .. suffix end
    return '\1\3' .. pack('>I3', parse('>I3', v, 3) + 1) .. name .. sub(v, 21)
  end

  -- Is it ready? Then its record as it is to be, and whether that is to be written. is_listed: it comes from
  -- a line, not from those that were handed back.
  local function mark(id, v, is_listed)
    local place = is_listed and holds.unmarked(v)
    if place and place <= claimed_to then
      if not in_hand then
--#include "in_hand.lua"
      end
      if in_hand[id] then return end
      place = nil
    end
    if place then
      claimed_to, last_place = place, place
      if first_place == 0 then first_place = place end
      return v, false
    end
    if byte(v, 2) ~= READY or holds.first(v) then return end
    return claimed_record(v), true
  end

  local has_parts = has(flags, HAS_PARTS) ~= 0
  local function look_elsewhere(v)
    local flags_ = byte(v, 46)
    if has(flags_, ELSEWHERE) == 0 then return end
    elsewhere = true
    if has(flags_, LARGE_BODY) ~= 0 then
      bytes = bytes + parse('>I4', v, HEAD + parse('>I2', v, 47) - 3)
    end
  end

  -- Takes those that are good, unless they are passed over. Returns where it stopped short.
  local function take(theirs, level)
    local found = get(theirs)
    looks = looks + #theirs
    for i = 1, #theirs do
      local v, id = found[i], theirs[i]
      if bytes >= TAKE_BYTES then return i end -- J11
      local record, is_marked
      if not (level and is_stale(level, id)) and v and not taken[id] then
        record, is_marked = mark(id, v, level)
      end
      if record then
        taken[id] = true
        if has_parts then look_elsewhere(v) end
        got = got + 1
        ids[got], records[got] = id, record
        if is_marked then pairs_[#pairs_ + 1], pairs_[#pairs_ + 2] = id, record end
      end
    end
  end

  local function give_back(level, id) -- to the head of its line
    call('LPUSH', ready[level], id)
    levels = with(levels, bit.lshift(1, level))
  end

  -- Returns whether enough was taken.
  local function take_back(level)
    local entries, theirs = back_of(level, want - got), {}
    for i = 1, #entries do theirs[i] = sub(entries[i], 7) end
    local stop = #entries > 0 and take(theirs)
    local last = stop and stop - 1 or #entries
    if last > 0 then call('ZREM', back, unpack(entries, 1, last)) end
    return stop or got == want
  end

  local function take_listed(level)
    while got < want and looks < STALE_MAX do
      local wanted = want - got
      local theirs = call('LPOP', ready[level], wanted)
      local stop = theirs and take(theirs, level)
      if stop then
        for i = #theirs, stop, -1 do give_back(level, theirs[i]) end
        return true
      end
      if not theirs or #theirs < wanted then
        levels = without(levels, bit.lshift(1, level))
        return got == want
      end
    end
    return true
  end

  local handed_back = has(flags, HAS_BACK) ~= 0
  for level = 0, 15 do
    if handed_back and take_back(level) then break end
    if has(levels, bit.lshift(1, level)) ~= 0 and take_listed(level) then break end
  end
  if handed_back and call('EXISTS', back) == 0 then flags = without(flags, HAS_BACK) end

  if got > 0 then
    local about = pack('>BI6', #ARGV[4], now) .. ARGV[4]
    call('ZADD', lease, int(now + lease_ms), name)
    local claim = pack('>I2', got) .. about .. pack('>I6I6', first_place, last_place)
    if got == 1 then
      call('HSET', claims, name, claim .. cmsgpack.pack(ids))
    else
      call('HSET', claims, name, claim, name .. '\0', cmsgpack.pack(ids))
    end
    if #pairs_ > 0 then put(pairs_) end
    n[READY], n[RUNNING], changed = n[READY] - got, n[RUNNING] + got, true
    if lease_ms > longest then longest = lease_ms end
    parts = { 0, 'c', pack('>I6', now + lease_ms) .. name .. about }
    if elsewhere then
--#include "show.lua"
      for i = 1, got do
        if has(byte(records[i], 46), ELSEWHERE) ~= 0 then add_parts(parts, i, ids[i], records[i]) end
      end
    end
    if has(flags, WATCHED) ~= 0 then
--#include "events.lua"
      for i = 1, got do tell(2, RUNNING, ids[i], ARGV[4], name) end
      write_events()
    end
    claimed = token
  end
end
