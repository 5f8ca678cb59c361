-- The keys, the clock and the queue's meta: what every script begins with. No function: each costs
-- every call a closure, and one with many outer variables more than a command. docs/redis.md says
-- what each key is for.
--
-- KEYS   in the order of key.c: all that are named below, or only the first FEW, then one list for
--        each level sent, then the sorted SETS beside the hashes and the HASHES of records if they were
-- ARGV   1 ms to add to the server's clock (tests move time); 2 the levels sent, a bit for each, ALL
--        if all named keys were, SPREAD if the hashes were, SETS if the sets were, then how many records
--        the hash `job` is to have at most: the power of two, and above these the epoch that the caller
--        knows the queue's shards by; the operation's own follow from 3 on
-- Any script may answer with a status: `again N` if it needs what N says, now and later; `whole N` if
-- it does this once; `newer N` if a library that knows more has been here; `stale` if the queue is split
-- over its shards in another way than the caller knows, or just being split anew. Nothing has happened
-- then.
--
-- Rules: what can be refused is looked at before the first write. A script that must go on in a
-- full server begins with a write that such a server allows (no HSET, ZADD, RPUSH, SET), see
-- open_full(). A key of a wrong type must be met by a read, or by the first write. Numbers of 64
-- bits stay raw bytes; times and counts are below 2^53.
--
-- A record (big-endian; C knows it by record.h):
--    1  1  version           27  6  number: given at push    45  1  level      as pushed
--    2  1  state             33  6  run_at                   46  1  flags
--    3  3  attempt           39  6  created                  47  2  size of what follows, as pushed:
--    6  8  holder                                                8 nonce
--   14  7  token                                                 28 policy  if POLICY is set
--          of the lease that has it, or had it last              kind       if KIND is set
--          (holder 0: a proxy)                                   body, or 4 bytes: its size
--   21  6  seq: its place in line                            then the past, if PAST is set:
--                                                            see open() in place.lua
-- A claim writes nothing into a record without a past that stands in the LINE of most jobs: those are
-- claimed in the order of their places, so one up to `claimed_to` is claimed, by the claim that has its
-- place. On other levels it appends 19 bytes, which stand for the first of the others then: state, attempt,
-- lease. One with a past has its first 20 bytes rewritten. So jobs that run once, which most do, are
-- never taken apart.
-- A claim: how many jobs it still has (2), size of the worker's name (1), start (6), that name, the first
-- and the last place of those that it has not marked (6 each), the id of its job, packed, if it was made of
-- one. Its field and a NUL: the ids of all jobs it ever had, packed, if they were more. Before there was
-- claimed_to, all ids stood in place of these places.
local call, try = redis.call, redis.pcall
local sub, byte = string.sub, string.byte
local pack, parse = struct.pack, struct.unpack
local has, with = bit.band, bit.bor

local ALL, SPREAD, SETS, NAMED, HASHES = 65536, 131072, 262144, 18, 16
local sent, asked_epoch = tonumber(ARGV[2]), 0
if sent >= 16777216 then asked_epoch, sent = (sent - sent % 16777216) / 16777216, sent % 16777216 end
local named = has(sent, ALL) ~= 0 and NAMED or FEW
local meta, job, bell, offers, claims, lease, lanes, events, delayed, kept, failed, back, stale, marks,
      silent, body, result, notes = unpack(KEYS, 1, named)

-- states, and flags of a record
local DELAYED, READY, RUNNING, DONE, FAILED, CANCELLED = 1, 2, 3, 4, 5, 6
local LARGE_BODY, LARGE_RESULT, NOTED, CANCELLING, KIND, POLICY, PAST = 1, 2, 4, 8, 16, 32, 64
local ELSEWHERE = 7 -- some part of it lies in another hash
local HEAD, LINE = 48, 8

-- ---- the clock ----
local now_us = call('TIME')
now_us = now_us[1] * 1000000 + now_us[2]
if ARGV[1] ~= '0' then now_us = now_us + ARGV[1] * 1000 end
local now = (now_us - now_us % 1000) / 1000

-- ---- the queue ----
-- flags; HAS_PARTS: something lies in body, result or notes; HAS_STALE: entries of jobs that have
-- left stand in the lists
local PAUSED, WATCHED, BOUNDED, HAS_BACK, HAS_MARKS, EXISTS, HAS_PARTS, HAS_STALE =
  1, 2, 4, 8, 16, 32, 64, 128
local HOT, COLD = '>BBI2I2I4I7I6I6I6I6I6I6I6I6I6I6', '>I6I6I6I6I6I6I6I6I6I6I6I6I6'
local text = call('GET', meta)
local known, size = text and true, text and #text or 0 -- the queue; of its meta
if not text then text = '\1' .. string.rep('\0', 154) end
if #text < 155 then return { err = 'ERR unreadable meta: ' .. meta } end
-- levels: lists that may have entries; used: all that ever had; due: of the first delayed job, or 0;
-- longest: the longest lease ever asked for, ms
local version, flags, levels, used, longest, token, seq, due, pushed, finished, n1, n2, n3, n4, n5, n6,
      rest = parse(HOT, text)
-- Versions above 8: the last that the meta tells is claimed_to.
local claimed_to, tail = 0, 0 -- tail: bytes at its end that are not the rest
if version > 8 then
  claimed_to, tail, version = parse('>I6', text, #text - 5), 6, version - 8
end
if version > 4 then -- some of those that are spread may be delayed, kept or failed: see sets.lua
  if version ~= 6 and version ~= 8 then return { ok = 'newer ' .. byte(text) } end
  version = version - 4
end
local n = { n1, n2, n3, n4, n5, n6 } -- records by state
local finished_before = finished
-- Even versions: some records are spread over the hashes. How many is the last that the meta tells but
-- for that.
-- Who is sent all named keys needs the sets then.
local spread, over, needed = version % 2 == 0, 0, used
if spread then
  over, needed = parse('>I6', text, #text - tail - 5), with(used, SPREAD, has(sent, ALL) ~= 0 and SETS or 0)
end
rest = sub(text, rest, -1 - tail - (spread and 6 or 0))
-- Versions above 2: the queue was split into shards. The rest ends with an epoch, how many there are,
-- and which of them this is. Epochs grow; an odd one is nobody's: the shard is closed.
local ANY_EPOCH, SPLIT_SIZE = 268435455, 8
local sharded, epoch, shards, shard = version > 2 and 2 or 0, 0, 1, 0
if sharded > 0 then epoch, shards, shard = parse('>I6BB', rest, #rest - 7) end
if epoch ~= asked_epoch and asked_epoch ~= ANY_EPOCH then return { ok = 'stale' } end

local ready
if has(needed, sent) ~= needed then return { ok = 'again ' .. with(needed, sent) } end
if has(sent, 65535) == 256 then
  ready = { [8] = KEYS[named + 1] }
else
  ready = {}
  local next_ = named
  for level = 0, 15 do
    if has(sent, bit.lshift(1, level)) ~= 0 then
      next_ = next_ + 1
      ready[level] = KEYS[next_]
    end
  end
end
