-- exchange: hand in, then promote, then claim.
-- ARGV   3 the request: lane (zeros: none), its number, holder (8 each), how many are wanted (2), lease in ms (6),
--        and if it is to stand by when it finds nothing: for how long, ms (4), what the channel is named by (16
--        letters) that it is told at; 4 worker; 5 what outcomes may come to: letters of NEEDS; then
--        runs of outcomes under one lease: kind (1), lease (15), how many (2), and per outcome
--          of kind d (done, nothing kept):  id
--          of kind k (done and kept):       id, the end of its record: its result, its history
--          of kind o (any other):           id, fixed, history, error, result
--        fixed: ending, state, attempt (3), delay (6), keep (6), bits: 1 by proxy, 2 has an error,
--        4 has a result. Of kind k they share keep (6) and bits, which stand behind how many they are
-- Answer { head, a letter per outcome: o ok, f fenced, s state, or '' if all are ok; ids, records,
--        parts }; and if all are ok, and nothing lies elsewhere, the head alone, or { head, the claim as a
--        part, id, record, id, record, ... }: a table within an answer costs as much as a command
--        head: bits (1 replayed, 2 paused, 4 more are ready, 8 it stands by), token (7), now (6), due (6); or 'late'
--        alone if a later request of that lane was answered
-- A full server does not stop it.
local FEW = 10
--#include "head.lua"
local lane, number, holder, want, lease_ms = parse('>c8c8c8I2I6', ARGV[3])
local LANE_KEPT, FIRST_RUN, NOBODY, arg_count = 3600000, 6, '\0\0\0\0\0\0\0\0', #ARGV
if lane == NOBODY then lane = false end
local known_lane = lane and call('HGET', lanes, lane)

-- ---- nothing special ----
-- No outcomes but plain ends of jobs that are held, kept ones in their first attempt, and no repeat.
-- Looks first, and begins to write only if all of this holds.
local at = FIRST_RUN
do -- its names end with it: a script may have 200 at once
  local plain = flags == EXISTS and (ARGV[5] == '' or ARGV[5] == 'p')
  if plain and lane then
    plain = false
    if known_lane then
      local high, low = parse('>I4I4', number)
      local last_high, last_low, _, used_at = parse('>I4I4c7I6', known_lane)
      plain = used_at + LANE_KEPT > now and (high > last_high or (high == last_high and low > last_low))
    end
  end

  -- What was done: outcomes and jobs promoted, jobs claimed, under which token, what the answer tells of them;
  -- and the ends of jobs that are waited for (ends.lua).
  local runs, promoted, got, claimed, told, ends = 0, 0, 0, 0, nil, nil
  local is_made = false
  if plain and not spread and want < 2 and has(levels, 65535 - 256) == 0 and (due == 0 or due > now) and
     (arg_count < FIRST_RUN or sub(ARGV[6], 17, 18) == '\0\1' and arg_count < 9) then
--#include "single.lua"
  end
  if plain and not is_made then
    local get_spread, put_spread, drop_spread, enter_spread
    if spread then
      if ARGV[5] ~= '' or (want > 0 and due ~= 0 and due <= now) then
        if has(sent, SETS) == 0 then return { ok = 'again ' .. with(sent, used, SETS) } end
      end
--#include "records.lua"
      get_spread, put_spread, drop_spread = get, put, drop
      meet_hashes()
      if ARGV[5] ~= '' then
--#include "sets.lua"
        enter_spread = sets.enter
        sets.meet(kept)
      end
    end
    local names, theirs, lefts, keeps, puts, seen = {}, {}, {}, {}, {}, {}
    while plain and at < arg_count do
      local run = ARGV[at]
      local name, count, is_kept = sub(run, 2, 16), parse('>I2', run, 17), sub(run, 1, 1) == 'k'
      local ours, claim, last = nil, nil, at + count
      if names[runs] == name then -- what the run before leaves of it
        claim = lefts[runs]
      else
        claim, seen = call('HGET', claims, name), {}
      end
      local high, low, name_size = byte(claim or '', 1, 3)
      local left, places = claim and high * 256 + low - count or -1, 10 + (name_size or 0)
      if claim and byte(claim, places) ~= 0 then left = -1 end -- an older one
      if is_kept then
        ours, last = {}, at + 2 * count
        for i = 1, count do ours[i] = ARGV[at - 1 + 2 * i] end
        call('ZCARD', kept)
      else
        ours = { unpack(ARGV, at + 1, last) }
      end
      -- If these are all that it ever had, the claim itself says that it has them (J2).
      if is_kept or left ~= 0 or (#claim > places + 11 and sub(claim, places + 12) or
                                  call('HGET', claims, name .. '\0')) ~= cmsgpack.pack(ours) then
        local found, records, scores, score, front, past, first, last_place = {}, {}, {}
        if left >= 0 then first, last_place = parse('>I6I6', claim, places) end
        if left >= 0 then found = spread and get_spread(ours) or call('HMGET', job, unpack(ours)) end
        if left >= 0 and is_kept then
          local keep, bits = parse('>I6B', run, 19)
          score, front = string.format('%.0f', now + keep), '\1\4\0\0\1' .. name
          past = pack('>I6', now + keep) .. sub(claim, 4, 9) .. pack('>I6B', now, bits + 1) ..
                 sub(claim, 3, 3) .. sub(claim, 10, 9 + name_size)
        end
        for i = 1, count do
          local v, id = found[i], ours[i]
          local level, flags_, size_high, size_low = byte(v or '', 45, 48)
          local held, given = v and not seen[id], v and HEAD + size_high * 256 + size_low
          if held and flags_ < PAST and byte(v, 2) == READY then -- and nobody else has it
            if #v > given then
              held = sub(v, -15) == name
            else
              local place = level == LINE and parse('>I6', v, 21) or 0
              held = place >= first and place <= last_place
            end
            if held and is_kept then
              records[2 * i - 1] = id
              records[2 * i] = front .. sub(v, 21, 45) .. string.char(flags_ + PAST) .. sub(v, 47, given) ..
                               past .. ARGV[at + 2 * i]
              scores[2 * i - 1], scores[2 * i] = score, sub(v, 27, 32) .. id
              if byte(v, HEAD + 1) > 127 then
                local to, record = sub(v, HEAD + 1, HEAD + 4), records[2 * i]
                ends = ends or {}
                local told = ends[to] or {}
                ends[to], told[#told + 1] = told, sub(v, HEAD + 5, HEAD + 8) .. pack('>Bc0I4', #id, id, #record)
                told[#told + 1] = record
              end
            end
          else
            held = held and not is_kept and byte(v, 2) == RUNNING and sub(v, 6, 20) == name
          end
          if not held then plain = false break end
          seen[id] = true
        end
        if is_kept then puts[runs + 1], keeps[runs + 1] = records, scores end
      end
      runs, at = runs + 1, last + 1
      names[runs], theirs[runs], lefts[runs] = name, ours, left > 0 and pack('>I2', left) .. sub(claim, 3)
      for i = 1, names[runs - 1] ~= name and runs - 2 or 0 do
        if names[i] == name then plain = false end -- it was read before it is changed
      end
    end

    if plain then
      -- The jobs are taken out of their lines and looked at before what was handed in is written: then no
      -- key of a wrong type is met too late.
      local ids = {}
      told = {}
      if want > 0 and due ~= 0 and due <= now then
--#include "tools.lua"
--#include "place.lua"
        promoted = promote()
      end
      local line, found
      if want > 0 and n[READY] > 0 then
        if levels == 256 then
          if want == 1 then -- the same, for less
            line = { call('LPOP', ready[8]) or nil }
          else
            line = call('LPOP', ready[8], want) or {}
          end
          if #line < want then levels = 0 end
        else
          line = {}
          call('HLEN', job)
          for _, key in pairs(ready) do call('LLEN', key) end
          for level = 0, 15 do
            local bit_ = bit.lshift(1, level)
            if has(levels, bit_) ~= 0 then
              local wanted = want - #line
              local theirs = call('LPOP', ready[level], wanted) or {}
              for i = 1, #theirs do line[#line + 1] = theirs[i] end
              if #theirs == wanted then break end
              levels = has(levels, bit.bnot(bit_))
            end
          end
        end
      end
      if line and #line > 0 then
        found = spread and get_spread(line, try) or try('HMGET', job, unpack(line))
        if found.err then -- there is one list, or its type was met before
          for i = #line, 1, -1 do call('LPUSH', ready[8], line[i]) end
          return found
        end
      end
      for i = 1, runs do
        local ours, records = theirs[i], puts[i]
        if records then
          try('ZREM', lease, '') -- a write that a full server allows
          if spread then enter_spread(kept, keeps[i]) else call('ZADD', kept, unpack(keeps[i])) end
          if spread then put_spread(records) else call('HSET', job, unpack(records)) end
          n[DONE] = n[DONE] + #ours
        elseif spread then
          drop_spread(ours)
        else
          call('HDEL', job, unpack(ours))
        end
        if lefts[i] then
          call('HSET', claims, names[i], lefts[i])
        else
          call('HDEL', claims, names[i], names[i] .. '\0')
          try('ZREM', lease, names[i])
        end
        n[RUNNING], finished = n[RUNNING] - #ours, finished + #ours
      end
      if line and #line > 0 then
        token = now_us > token and now_us or token + 1 -- J4
        if shards > 1 then token = token - token % 64 + 64 + shard end -- so it names its shard
        local name = holder .. pack('>I7', token)
        local suffix, pairs_, first, reached, in_hand = '\3\0\0\1' .. name, {}, 0, claimed_to
        for i = 1, #line do
          local v, id = found[i], line[i]
          local level, flags_, high, low = byte(v or '', 45, 48)
          local is_first = flags_ and flags_ < PAST
          if flags_ and byte(v, 2) == READY and not (is_first and #v > HEAD + high * 256 + low) then
            local place = is_first and level == LINE and parse('>I6', v, 21)
            if place and place <= reached then
              if not in_hand then
--#include "in_hand.lua"
                for i_ = 1, runs do -- they have ended since they were read
                  for _, id_ in ipairs(theirs[i_]) do in_hand[id_] = true end
                end
              end
              place = in_hand[id] and place
            end
            if not place then
              v = is_first and v .. suffix or '\1\3' .. pack('>I3', parse('>I3', v, 3) + 1) .. name .. sub(v, 21)
              pairs_[#pairs_ + 1], pairs_[#pairs_ + 2] = id, v
            end
            if not place or place > reached then
              if place then
                if first == 0 then first = place end
                reached = place
              end
              got = got + 1
              ids[got], told[2 * got + 1], told[2 * got + 2] = id, id, v
              if in_hand then in_hand[id] = true end
            end
          end
        end
        local packed = cmsgpack.pack(ids)
        local failure = try('ZADD', lease, now + lease_ms, name)
        if type(failure) == 'number' then
          local claim = pack('>I2BI6c0I6I6', got, #ARGV[4], now, ARGV[4], first, first > 0 and reached or 0)
          if got == 1 then
            failure = try('HSET', claims, name, claim .. packed)
          else
            failure = try('HSET', claims, name, claim, name .. '\0', packed)
          end
        end
        if got > 0 and type(failure) == 'number' then
          if #pairs_ > 0 then
            if spread then put_spread(pairs_) else call('HSET', job, unpack(pairs_)) end
          end
          n[READY], n[RUNNING], claimed, claimed_to = n[READY] - got, n[RUNNING] + got, token, reached
          if lease_ms > longest then longest = lease_ms end
          told[2] = pack('>I6c0BI6c0', now + lease_ms, name, #ARGV[4], now, ARGV[4])
        else -- a key of a wrong type: the jobs stay where they are
          try('ZREM', lease, name)
          try('HDEL', claims, name, name .. '\0')
          for i = got, 1, -1 do
            local level = byte(told[2 * i + 2], 45)
            call('LPUSH', ready[level], ids[i])
            levels = with(levels, bit.lshift(1, level))
          end
          if runs + promoted == 0 and type(failure) ~= 'number' then return failure end
          got = 0
        end
      end
    end
  end

  if plain then
    local stands_by = #ARGV[3] > 32 and got == 0 and n[READY] <= 0
    if stands_by then
      if runs + promoted == 0 then try('ZREM', lease, '') end -- as above
--#include "stand.lua"
      if runs + promoted == 0 and stands_by then
        call('HSET', lanes, lane, number .. pack('>I7I6', claimed, now))
      end
    end
    if runs + promoted + got > 0 then
      if lane then call('HSET', lanes, lane, number .. pack('>I7I6', claimed, now)) end
--#include "meta.lua"
      if runs > 0 then call('PUBLISH', events, text) end
      if ends then
--#include "ends.lua"
      end
      if n[READY] > 0 then
--#include "ring.lua"
      end
    end
    local front = pack('>BI7I6I6', (n[READY] > 0 and 4 or 0) + (stands_by and 8 or 0), claimed, now, due)
    if got == 0 then return front end
    told[1] = front
    return told
  end
end

-- ---- whatever there is ----
if has(sent, ALL) == 0 then
  return { ok = (known and flags ~= EXISTS and 'again ' or 'whole ') .. with(sent, used, ALL) }
end
--#include "tools.lua"
local statuses, ids, records, parts, changed = '', {}, {}, {}, false
local claimed, stands_by = 0, false -- the token of what this brings

local function answer(replayed)
  local bits = replayed + (has(flags, PAUSED) ~= 0 and 2 or 0) + (n[READY] > 0 and 4 or 0) +
               (stands_by and 8 or 0)
  return { pack('>BI7I6I6', bits, claimed, now, due), statuses, ids, records, parts }
end

-- ---- a repeat (J7) ----
if known_lane and parse('>I6', known_lane, 16) + LANE_KEPT > now then
  local high, low = parse('>I4I4', number)
  local last_high, last_low = parse('>I4I4', known_lane)
  if high < last_high or (high == last_high and low < last_low) then return { 'late' } end
  if high == last_high and low == last_low then
    local given = sub(known_lane, 9, 15)
    if #ARGV[3] > 32 then
--#include "rise.lua"
    end
--#include "show.lua"
--#include "replay.lua"
    return answer(1)
  end
end

-- ---- outcomes ----
if want > 0 then -- wrong types are met before the first write
  call('HLEN', job)
  call('HLEN', claims)
  call('ZCARD', lease)
  sets.meet(delayed)
  call('ZCARD', back)
  call('HLEN', stale)
  for _, key in pairs(ready) do call('LLEN', key) end
end
meet_hashes()
if ARGV[5] ~= '' then -- likewise
  local NEEDS = { k = kept, p = kept, d = delayed, f = failed, b = back, m = marks }
  for letter in string.gmatch(ARGV[5], '.') do
    if letter == 'r' then
      for _, key in pairs(ready) do call('LLEN', key) end
    else
      if letter == 'h' then call('HLEN', result) else sets.meet(NEEDS[letter]) end
    end
  end
end

-- So many jobs of a claim were handed in.
local function let_go(name, claim, taken)
  local left = claim and parse('>I2', claim) - taken or 0
  if left > 0 then
    call('HSET', claims, name, pack('>I2', left) .. sub(claim, 3))
  else
    holds.let_go(name)
  end
end

local handed_in = 0
at = FIRST_RUN
while at < arg_count do
  local kind, name, count = parse('>c1c15I2', ARGV[at])
  local width = kind == 'd' and 1 or kind == 'k' and 2 or 5
  local last = at + width * count
  local ours = {}
  for i = 1, count do ours[i] = ARGV[at + 1 + width * (i - 1)] end
  if known then
    local found, claim = get(ours), call('HGET', claims, name)
--#include "place.lua"
--#include "events.lua"
--#include "finish.lua"
  else
    for i = at + 1, last, width do
      local by_proxy = kind == 'o' and has(byte(ARGV[i + 1], 18), 1) ~= 0
      statuses = statuses .. (by_proxy and 's' or 'f')
    end
  end
  at, handed_in = last + 1, handed_in + count
end

if want > 0 then
  local TAKE_BYTES, STALE_MAX = 2097152, 1000 -- some ms of the server
--#include "place.lua"
--#include "claim.lua"
end

if #ARGV[3] > 32 and known and claimed == 0 and (n[READY] <= 0 or has(flags, PAUSED) ~= 0) then
  open_full()
--#include "stand.lua"
  changed = changed or stands_by
end
if changed then
  open_full()
  if lane then
    call('HSET', lanes, lane, number .. pack('>I7I6', claimed, now) .. statuses)
    if not known_lane then try('ZADD', silent, int(now), lane) end
  end
  save()
  ring()
end
return answer(0)
