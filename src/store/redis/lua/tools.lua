-- What steps share that are not about speed.
local function without(bits, some) return has(bits, bit.bnot(some)) end

-- What most steps do not need: rare totals, events, bounds.
local cold
local function more()
  if cold then return cold end
  cold = {}
  cold.retried, cold.lapsed, cold.fenced, cold.expired, cold.marked, cold.refused, cold.dropped,
  cold.trimmed, cold.event, cold.watched_until, cold.max_length, cold.keep_failed, cold.on_full =
    parse(COLD, rest)
  cold.news, cold.marked_before = cold.dropped + cold.event, cold.marked
  return cold
end

-- Somebody waits for the end of this job, perhaps: he is told when the meta is written. given: as in
-- open() of place.lua; record: '' if it is to be read.
local ends
local function tell_end(id, given, record)
  if #given < 8 or byte(given) < 128 then return end
  local to = sub(given, 1, 4)
  ends = ends or {}
  ends[to] = ends[to] or {}
  table.insert(ends[to], sub(given, 5, 8) .. pack('>Bc0I4', #id, id, #record))
  table.insert(ends[to], record)
end

-- Writes the meta, and tells it to those who wait: for an end or an event on one channel, for a
-- mark on another. They are named as keys are.
local function save()
  local c, news, marked = cold, finished ~= finished_before, false
  if c then
    rest = pack(COLD, c.retried, c.lapsed, c.fenced, c.expired, c.marked, c.refused, c.dropped,
                c.trimmed, c.event, c.watched_until, c.max_length, c.keep_failed, c.on_full) ..
           (sharded > 0 and sub(rest, -SPLIT_SIZE) or '')
    news, marked = news or c.dropped + c.event ~= c.news, c.marked ~= c.marked_before
  end
--#include "meta.lua"
  if news then call('PUBLISH', events, text) end
  if marked then call('PUBLISH', marks, text) end
  if ends then
--#include "ends.lua"
  end
end

-- Wakes one of those who wait for a job, if there is one to be had, or will be sooner than they know.
local ring
do
  local due_before = due
  function ring()
    if (n[READY] > 0 or due ~= 0 and (due_before == 0 or due < due_before)) and has(flags, PAUSED) == 0 then
--#include "ring.lua"
    end
  end
end

-- The first write of a step that must go on in a full server: it changes nothing, and what follows
-- is no longer refused. It also looks at the type of lease.
local function open_full() call('ZREM', lease, '') end

local function int(x) return string.format('%.0f', x) end

-- ---- what a claim has ----
local holds = {}

-- The first claim of a record has marked it.
function holds.first(v) return byte(v, 46) < PAST and #v > HEAD + parse('>I2', v, 47) end

-- The place of a record that a claim does not mark; nothing of any other.
function holds.unmarked(v)
  local level, flags_, high, low = byte(v, 45, 48)
  if level ~= LINE or flags_ >= PAST or byte(v, 2) ~= READY or #v > HEAD + high * 256 + low then return end
  return (parse('>I6', v, 21))
end

-- The first and last place of what a claim has not marked: of none if it is an older one's.
function holds.span(claim)
  local at_ = 10 + (byte(claim, 3) or 0)
  if byte(claim, at_) ~= 0 or #claim < at_ + 11 then return 1, 0 end
  return parse('>I6I6', claim, at_)
end

function holds.place(claim, place)
  local first, last = holds.span(claim)
  return place >= first and place <= last
end

-- Is a record held under this lease, whose claim this is?
function holds.record(name, claim, v)
  local place = holds.unmarked(v)
  if place then return holds.place(claim, place) end
  if holds.first(v) then return sub(v, -15) == name end
  return byte(v, 2) == RUNNING and sub(v, 6, 20) == name
end

-- The ids of all jobs that a claim ever had.
function holds.ids(name, claim)
  local at_ = 10 + byte(claim, 3)
  local packed = sub(claim, byte(claim, at_) == 0 and at_ + 12 or at_)
  if packed == '' then packed = call('HGET', claims, name .. '\0') end
  return packed and cmsgpack.unpack(packed) or {}
end

function holds.let_go(name)
  call('HDEL', claims, name, name .. '\0')
  try('ZREM', lease, name)
end

-- ---- records ---- ids are arrays, never empty
--#include "records.lua"
--#include "sets.lua"
