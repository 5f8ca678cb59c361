-- examine: a READY job that seems to stand in no line.
-- ARGV 3 its id, 4 whether to mend, 0 or 1. Answers 1 if it does not. Then it is put back.
--#include "common.lua"
--#include "place.lua"
--#include "types.lua"
--#include "holders.lua"
local id = ARGV[3]
spread = true -- whatever the meta says
look_claimed_to()
local v = get({ id })[1]
local r = v and open(v)
if not r or r.state ~= READY or call('ZSCORE', back, entry(id, r)) then return 0 end
local over = tonumber(call('HGET', stale, string.char(r.level) .. id) or 0)
if ready[r.level] and #call('LPOS', ready[r.level], id, 'COUNT', over + 1) > over then return 0 end
if ARGV[4] == '1' then
  meet()
  open_full()
  set_apart(r)
  put({ id, close(r) })
  call('ZADD', back, int(r.level * BACK_STEP + r.seq), entry(id, r))
  flags = with(flags, HAS_BACK)
  save()
  ring()
end
return 1
