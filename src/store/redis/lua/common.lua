-- The head of every script: the keys, the clock, the queue's meta, and the only access to records.
-- docs/redis.md says what each key is for. A script includes this file first, then those of
-- place.lua, show.lua and events.lua that it needs, where it needs them: each function costs every
-- call that comes by a closure.
--
-- KEYS   in the order of keys.h: the 16 named below, then one list for each level sent
-- ARGV   1 ms to add to the server's clock (tests move time); 2 the levels sent, a bit for each;
--        the operation's own follow from 3 on
-- Any script may answer with a status: `again N` if it needs the keys of the levels N before it can
-- begin, `newer N` if a library that knows more has been here. Nothing has happened then.
--
-- Rules: what can be refused is looked at before the first write. A script that must go on in a
-- full server begins with a write that such a server allows (no HSET, ZADD, RPUSH, SET), see
-- open_full(). A key of a wrong type must be met by a read, or by the first write. Numbers of 64
-- bits stay raw bytes; times and counts are below 2^53.
--
-- A record (big-endian; C knows it by record.h):
--    1  1  version           27  1  level                    43  as pushed, never changed:
--    2  1  state             28  1  flags                        6 created  8 nonce
--    3  3  attempt           29  2  size as pushed               28 policy  if POLICY is set
--    6  8  holder            31  6  number: given at push        kind       if KIND is set
--   14  7  token             37  6  run_at                       body, or 4 bytes: its size
--          of the lease that has it, or had it last          then the past, if PAST is set:
--          (holder 0: a proxy)                               see open() in place.lua
--   21  6  seq: its place in line; 0 if it left that other than by a claim
-- So a claim rewrites the first 20 bytes, and an entry of a line is good if its seq is the record's.
-- A claim: how many jobs it still has (2), start (6), size of the worker's name (1), that name, and
-- the ids of all jobs it ever had, packed.
local call, try = redis.call, redis.pcall
local sub, byte = string.sub, string.byte
local pack, parse = struct.pack, struct.unpack
local has, with = bit.band, bit.bor
local function without(bits, some) return has(bits, bit.bnot(some)) end

local meta, job, claims, lease, delayed, kept, failed, back, marks, lanes, silent, body, result,
      notes, events, bell = unpack(KEYS, 1, 16)

-- states, and flags of a record
local DELAYED, READY, RUNNING, DONE, FAILED, CANCELLED = 1, 2, 3, 4, 5, 6
local LARGE_BODY, LARGE_RESULT, NOTED, CANCELLING, KIND, POLICY, PAST = 1, 2, 4, 8, 16, 32, 64
local ELSEWHERE = 7 -- some part of it lies in another hash
local HEAD = 42

-- ---- the clock ----
local now_us = call('TIME')
now_us = now_us[1] * 1000000 + now_us[2] + ARGV[1] * 1000
local now = (now_us - now_us % 1000) / 1000

local function int(x) return string.format('%.0f', x) end

-- ---- the queue ----
-- flags; HAS_PARTS: something lies in body, result or notes
local PAUSED, WATCHED, BOUNDED, HAS_BACK, HAS_MARKS, EXISTS, HAS_PARTS = 1, 2, 4, 8, 16, 32, 64
local HOT, COLD = '>BBI2I2I4I7I6I6I6I6I6I6I6I6I6I6', '>I6I6I6I6I6I6I6I6I6I6I6I6I6'
local text = call('GET', meta)
local known = text and true -- the queue
if not text then text = '\1' .. string.rep('\0', 154) end
local version, flags, levels, used, longest, token, seq, due, pushed, finished, n1, n2, n3, n4, n5, n6,
      rest = parse(HOT, text)
if version ~= 1 then return { ok = 'newer ' .. version } end
local n = { n1, n2, n3, n4, n5, n6 } -- records by state
local finished_before = finished
rest = sub(text, rest)

-- levels: lists that may have entries; used: all that ever had; due: of the first delayed job, or 0;
-- longest: the longest lease ever asked for, ms
local ready, sent = {}, tonumber(ARGV[2])
if has(used, sent) ~= used then return { ok = 'again ' .. with(used, sent) } end
if sent == 256 then
  ready[8] = KEYS[17]
else
  local next_ = 17
  for level = 0, 15 do
    if has(sent, bit.lshift(1, level)) ~= 0 then ready[level], next_ = KEYS[next_], next_ + 1 end
  end
end

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

-- Writes the meta, and tells it to those who wait: for an end or an event on one channel, for a
-- mark on another. They are named as keys are.
local function save()
  local c, news, marked = cold, finished ~= finished_before, false
  if c then
    rest = pack(COLD, c.retried, c.lapsed, c.fenced, c.expired, c.marked, c.refused, c.dropped,
                c.trimmed, c.event, c.watched_until, c.max_length, c.keep_failed, c.on_full)
    news, marked = news or c.dropped + c.event ~= c.news, c.marked ~= c.marked_before
  end
  text = pack(HOT, 1, flags, levels, used, longest, token, seq, due, pushed, finished, n[1], n[2],
              n[3], n[4], n[5], n[6]) .. rest
  call('SET', meta, text)
  if news then call('PUBLISH', events, text) end
  if marked then call('PUBLISH', marks, text) end
end

-- Wakes one of those who wait for a job, if there is one to be had.
local function ring()
  if n[READY] > 0 and has(flags, PAUSED) == 0 and call('EXISTS', bell) == 0 then
    try('RPUSH', bell, '1')
  end
end

-- The first write of a step that must go on in a full server: it changes nothing, and what follows
-- is no longer refused. It also looks at the type of lease.
local function open_full() call('ZREM', lease, '') end

-- ---- records ---- ids are arrays, never empty
local function get(ids) return call('HMGET', job, unpack(ids)) end
local function put(pairs_) return call('HSET', job, unpack(pairs_)) end -- id, record, ...
local function drop(ids) return call('HDEL', job, unpack(ids)) end
