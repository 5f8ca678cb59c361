-- beat: a member tells of itself (S9).
-- ARGV   4 id; 5 row; 6 for how long it is good, ms; 0: it leaves; 7 how many expired ones go on this
--        occasion
-- A row is when it was written and when it joined (6 bytes each), then what the member told, and its
-- name, behind a size. A member that goes takes its reader with it, unless entries are pending for it.
--#include "group.lua"
local id, row, ttl = ARGV[4], ARGV[5], tonumber(ARGV[6])
local function drop(ids)
  for _, gone in ipairs(ids) do
    local old = call('HGET', members, gone)
    local name = old and parse('>Bc0', old, 29)
    local pending = name and redis.pcall('XPENDING', input, readers, '-', '+', 1, name)
    if pending and not pending.err and #pending == 0 then
      redis.pcall('XGROUP', 'DELCONSUMER', input, readers, name)
    end
    call('HDEL', members, gone)
    call('ZREM', seen, gone)
  end
end
call('HLEN', members)
call('ZREM', seen, '') -- goes in a full server, and what follows then does
drop(call('ZRANGEBYSCORE', seen, '-inf', int(now), 'LIMIT', 0, ARGV[7]))
if ttl == 0 then
  drop({ id })
  return 0
end
if not text then save() end -- now there is such a group
local old = call('HGET', members, id)
local joined = old and parse('>I6', old, 7) or now
call('HSET', members, id, pack('>I6I6', now, joined) .. row)
call('ZADD', seen, int(now + ttl), id)
return 0
