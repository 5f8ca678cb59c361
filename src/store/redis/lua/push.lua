-- push: one id, one job (J14), and a repeat changes nothing (J7).
-- ARGV   3 bits: 1 some ids may be the same, 2 tell where in its history the server is; then runs of jobs that are alike: level (1),
--        flags (1), how many (2), delay (6), run_at (6; 0: by the delay); and per job: id, its record from
--        `level` on, and its body if that is large
-- Answer { two bytes per job: status (0: the queue is full) and state; 1 if the queue is new;
--          and if any are done: ids, records, parts of those in their order }, or only the second of
--        these if all were queued and are ready. With 2: { what INFO tells of replication, as it was
--        before this step, or '' if a job was there before; all that }
-- Somebody who keeps a vigil may have it at once (give.lua); the answer is the same.
-- A full server refuses it: its first write is one that adds.
local FEW = 6
--#include "head.lua"
local is_new, arg_count = has(flags, EXISTS) == 0 and 1 or 0, #ARGV
local twins, history = false, false
if ARGV[3] ~= '0' then
  twins, history = has(ARGV[3], 1) ~= 0, has(ARGV[3], 2) ~= 0 and try('INFO', 'replication')
end
local never, now_bytes = '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0', pack('>I6', now)

local RUN, is_few = '>BBI2I6I6', has(sent, ALL) == 0
local ids, count, at
if is_few and arg_count == 6 then -- one job: a table that grows costs as much as a command
  ids, count = { ARGV[5] }, 1
elseif is_few then -- one run, without large bodies; the table has its size when it is made
  ids, count = { unpack(ARGV, 5, arg_count / 2 + 2) }, 0
  for i = 5, arg_count, 2 do
    count = count + 1
    ids[count] = ARGV[i]
  end
else
  ids, count, at = {}, 0, 4
  while at < arg_count do
    local _, flags_, many = parse(RUN, ARGV[at])
    local width = has(flags_, LARGE_BODY) ~= 0 and 3 or 2
    local last = at + width * many
    for i = at + 1, last, width do
      count = count + 1
      ids[count] = ARGV[i]
    end
    at = last + 1
  end
end
local met, put_spread, sets_spread, lies_spread
if not spread then
  spread = n1 + n2 + n3 + n4 + n5 + n6 + count > bit.lshift(1, bit.rshift(sent, 19))
end
if spread then
  local wanted = with(SPREAD, is_few and 0 or SETS)
  if has(sent, wanted) ~= wanted then return { ok = 'again ' .. with(sent, used, wanted) } end
--#include "records.lua"
  met, put_spread, lies_spread = get(ids), put, lies
  if not is_few then
--#include "sets.lua"
    sets_spread = sets
  end
else -- also for ids that the library has just generated: a first request may come after its repeat (J7)
  met = count == 1 and { call('HGET', job, ids[1]) } or call('HMGET', job, unpack(ids))
end
local plain = not twins and has(flags, WATCHED + BOUNDED) == 0
for i = 1, count do
  if met[i] then plain = false break end
end

-- ---- all of them are new ----
-- And if not all named keys were sent, all are ready, on one level.
if plain then
  -- pairs_: ids and records, if they do not stand in ARGV from 5 on; is_given: somebody has the only one already
  local pairs_, codes, is_given = nil, is_new, false
  if is_few then
    local front, tail, level = '\1\2\0\0\0' .. never, now_bytes .. now_bytes, byte(ARGV[4])
    if count == 1 then
      seq = seq + 1
      local place = pack('>I6', seq)
      local record = front .. place .. place .. tail .. ARGV[6]
      ARGV[6] = record
      if n[READY] == 0 and flags == EXISTS and level == LINE and (due == 0 or due > now) then
--#include "give.lua"
      end
    else
      local args, high, begin, char = ARGV, nil, nil, string.char
      for i = 6, arg_count, 2 do -- in their places: a table beside them would have to grow
        seq = seq + 1
        local low = seq % 256
        if low == 0 or i == 6 then
          high = sub(pack('>I6', seq), 1, 5)
          begin = front .. high
        end
        local last = char(low)
        args[i] = begin .. last .. high .. last .. tail .. args[i]
      end
    end
    local its_bit = bit.lshift(1, level)
    used = with(used, its_bit)
    if is_given then
      n[RUNNING] = n[RUNNING] + 1
    else
      call('RPUSH', ready[level], unpack(ids))
      n[READY], levels = n[READY] + count, with(levels, its_bit)
    end
  else
--#include "push_runs.lua"
  end
  if spread then
    put_spread(pairs_ or { unpack(ARGV, 5) })
  elseif pairs_ then
    call('HSET', job, unpack(pairs_))
  else
    call('HSET', job, unpack(ARGV, 5))
  end
  pushed, flags = pushed + count, with(flags, EXISTS)
--#include "meta.lua"
  if n[READY] > 0 and has(flags, PAUSED) == 0 then
--#include "ring.lua"
  end
  return history and { history, codes } or codes
end

-- ---- one by one ----
if is_few then
  return { ok = (has(flags, WATCHED + BOUNDED) ~= 0 and 'again ' or 'whole ') .. with(sent, used, ALL) }
end
--#include "tools.lua"
--#include "place.lua"
--#include "events.lua"
--#include "show.lua"
--#include "types.lua"
local STALE_MAX = 1000 -- J11: entries of jobs that have left, met in one step
if spread then lies = lies_spread end
local now_is, seen, changed, looks = {}, {}, false, 0
for i = 1, count do now_is[ids[i]] = met[i] end
meet()

-- A full server refuses this first write, which changes nothing.
local function begin()
  if not changed then call('SET', meta, text) end
  changed = true
end

-- The job that is first in the least urgent level, or else due first. Returns its id, and whether
-- its entry is out of the line.
local function find_victim()
  for level = 15, 0, -1 do
    local entry_ = has(flags, HAS_BACK) ~= 0 and back_of(level, 1)[1]
    if entry_ then return sub(entry_, 7), false end
    while ready[level] and looks < STALE_MAX do
      local id = call('LPOP', ready[level])
      if not id then break end
      if not is_stale(level, id) then return id, true end
      looks = looks + 1
    end
  end
  local first = sets.first(delayed, '-inf', '+inf', 1)[1]
  return first and sub(first, 7), false
end

-- Makes room for one more; false if there is none to be had.
local function admit()
  if has(flags, BOUNDED) == 0 or more().max_length == 0 or
     n[DELAYED] + n[READY] < cold.max_length then return true end
  if cold.on_full ~= 2 then return false end
  begin()
  local id, is_out = find_victim()
  local v = id and get({ id })[1]
  if not v then return true end
  local r = open(v)
  tell(6, CANCELLED, id, r.worker, r.claim)
  take_out(id, r, is_out)
  now_is[id] = nil
  return true
end

local function make(run, i)
  local id = ARGV[i]
  local r = { state = run.state, level = run.level, flags = run.flags, attempt = 0,
              given = sub(ARGV[i + 1], 5), run_at = run.run_at, created = now, claim = never }
  if run.width == 3 then
    call('HSET', body, id, ARGV[i + 2])
    flags = with(flags, HAS_PARTS)
  end
  r.number = seq + 1
  if r.state == READY then
    stand(id, r)
  else
    seq = seq + 1
    r.seq, n[DELAYED] = seq, n[DELAYED] + 1
    used = with(used, bit.lshift(1, r.level))
    sets.enter(delayed, { int(r.run_at), member(id, r) })
    if due == 0 or r.run_at < due then due = r.run_at end
  end
  now_is[id] = close(r)
  put({ id, now_is[id] })
  pushed, flags = pushed + 1, with(flags, EXISTS)
  tell(1, r.state, id, nil, never)
end

-- The record met is forgotten.
local function replace(id, r)
  if gone(r) then more().expired = cold.expired + 1 end -- J12
  leave(id, r)
  erase(id, r)
end

local codes, done_ids, done, parts = {}, {}, {}, {}
local function answer(status, state) codes[#codes + 1] = string.char(status, state) end

local function push(run, i)
  local id = ARGV[i]
  local r, first = now_is[id] and open(now_is[id]), not seen[id]
  seen[id] = true
  local stays = r and not gone(r)
  if stays and first and sub(r.given, 1, 8) == sub(ARGV[i + 1], 5, 12) then -- J7
    answer(1, r.state)
    if history then history = '' end -- of this job it tells nothing
  elseif stays and not (first and r.state == CANCELLED) then -- J14
    answer(r.state == DONE and 3 or 2, r.state)
    if r.state == DONE then
      done_ids[#done_ids + 1], done[#done + 1] = id, r.text
      add_parts(parts, #done, id, r.text)
    end
  elseif not admit() then
    begin()
    more().refused = cold.refused + 1
    answer(0, 0)
  else
    begin()
    if r then replace(id, r) end
    make(run, i)
    answer(1, run.state)
  end
end

at = 4
while at < arg_count do
  local run, many, delay = {}, 0, 0
  run.level, run.flags, many, delay, run.run_at = parse(RUN, ARGV[at])
  if run.run_at == 0 then run.run_at = now + delay end
  run.state = run.run_at > now and DELAYED or READY
  run.width = has(run.flags, LARGE_BODY) ~= 0 and 3 or 2
  local last = at + run.width * many
  for i = at + 1, last, run.width do push(run, i) end
  at = last + 1
end
if changed then
  write_events()
  save()
  ring()
end
local told = { table.concat(codes), is_new, done_ids, done, parts }
return history and { history, told } or told
