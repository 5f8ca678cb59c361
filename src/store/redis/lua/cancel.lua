-- cancel: ends a job that waits, marks one that runs.
-- ARGV 3 its id. Answers as one.lua.
--#include "common.lua"
--#include "place.lua"
--#include "events.lua"
--#include "types.lua"
--#include "holders.lua"
--#include "one.lua"
local r = find()
if not r then return 0 end
local state = r.state
if state >= DONE or (state == RUNNING and has(r.flags, CANCELLING) ~= 0) then return state end
meet()
open_full()
if state == RUNNING then
  r.claim = claim_of(r) or r.claim
  r.flags, flags = with(r.flags, CANCELLING), with(flags, HAS_MARKS)
  call('ZADD', marks, 0, r.claim .. id)
  put({ id, close(r) })
  more().marked = cold.marked + 1
else
  leave(id, r)
  r.state = CANCELLED
  tell(6, CANCELLED, id, r.worker, r.claim)
  finish(id, r, keep_of(r))
  write_events()
end
save()
return state
