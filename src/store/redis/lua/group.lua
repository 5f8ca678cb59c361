-- The keys, the clock and the meta of a group of streams: what every script about one begins with.
--
-- KEYS   in the order of streams_call.c
-- ARGV   1 ms to add to the server's clock (tests move time); 2 layout; 3 name of the consumer group;
--        the operation's own follow from 4 on
--
-- A stream that was offered is an entry of `input`, and has a record in `stream` by its name (S1). Who
-- owns it has that entry pending, a deadline in `lease`, and the name behind his holder in `held`. In
-- the published layout strangers put entries in and take them, and know nothing of records.
--
-- A record (big-endian):
--    1  1  version           22  6  when it came in line, ms
--    2  1  state             28  6  since when it is owned, ms
--    3  1  flags             34  4  lease, ms
--    4 15  lease that has    38  1  size of the entry's id, then that
--          it, or had it         1  size of the owner's name, then that
--   19  3  retries
local call = redis.call
local sub, find, byte = string.sub, string.find, string.byte
local pack, parse = struct.pack, struct.unpack
local meta, input, stream, lease, held, dead, members, seen = unpack(KEYS)

local OWN, PUBLISHED, SPLIT = 0, 1, 2 -- layouts; SPLIT: of what is published only `input` lies on this
                                      -- server, and `dead` is a key of ours from where letters are posted
local layout, readers = tonumber(ARGV[2]), ARGV[3]
local WAITING, OWNED = 1, 2
local YIELD = 1 -- flag: its owner is asked to yield it

local now_us = call('TIME')
now_us = now_us[1] * 1000000 + now_us[2] + ARGV[1] * 1000
local now = (now_us - now_us % 1000) / 1000

local function int(x) return string.format('%.0f', x) end

-- ---- the group ----
-- asked: streams that an owner is to let go; posting: until when somebody does (stream_post.lua), ms; the
-- rest as in struct reeve_group
local COUNTS = { 'asked', 'posting', 'offered', 'duplicates', 'taken', 'ended', 'yielded', 'lapsed', 'requeued',
                 'failed', 'unparseable', 'trimmed', 'purged', 'revived', 'fenced' }
local META = '>BI7I6' .. string.rep('I6', #COUNTS)
local text = call('GET', meta)
local values = { parse(META, text or '\1' .. string.rep('\0', 13 + 6 * #COUNTS)) }
if values[1] ~= 1 then return { ok = 'newer ' .. values[1] } end
local token, total = values[2], {}
for i, name in ipairs(COUNTS) do total[name] = values[3 + i] end
local function add(name, n) total[name] = total[name] + (n or 1) end

local function count_waiting()
  local n
  if layout == OWN then
    n = call('XLEN', input) - call('ZCARD', lease)
  else
    local pending = redis.pcall('XPENDING', input, readers)
    n = call('XLEN', input) - (pending.err and 0 or pending[1])
  end
  return n > 0 and n or 0
end

-- Writes the meta, and tells it to those who wait: that a stream can be had, or that an owner is to
-- let one go. The channel is named as the key is.
local rings, asked_before = false, total.asked
local function save()
  local n = {}
  for i, name in ipairs(COUNTS) do n[i] = total[name] end
  text = pack(META, 1, token, count_waiting(), unpack(n))
  call('SET', meta, text)
  if rings or total.asked ~= asked_before then call('PUBLISH', meta, text) end
end

-- Meets keys of a wrong type before anything is written. Its last command is a write that changes
-- nothing: a full server allows it, and then what follows.
local function meet()
  call('XLEN', input)
  call('HLEN', stream)
  call('XLEN', dead)
  call('ZCARD', held)
  call('ZREM', lease, '')
end

-- ---- records ----
local RECORD = '>BBBc15I3I6I6I4Bc0Bc0'
local NO_LEASE = string.rep('\0', 15)
local function open(v)
  local r = {}
  r.version, r.state, r.flags, r.lease, r.retries, r.offered, r.since, r.lease_ms, r.entry, r.owner =
    parse(RECORD, v)
  return r
end
local function get(name)
  local v = call('HGET', stream, name)
  return v and open(v)
end
local function put(name, r)
  call('HSET', stream, name, pack(RECORD, 1, r.state, r.flags, r.lease, r.retries, r.offered, r.since,
                                  r.lease_ms, #r.entry, r.entry, #r.owner, r.owner))
end
local function token_of(r) return (parse('>I7', r.lease, 9)) end
local function deadline_of(name) return tonumber(call('ZSCORE', lease, name) or 0) end

-- A stream as C is shown it.
local function show(name, info, r, deadline)
  local owned = r.state == OWNED
  return { name, info, r.state, r.retries, token_of(r), owned and r.owner or '', r.offered,
           owned and r.since or 0, owned and deadline or 0, owned and r.flags or 0 }
end
