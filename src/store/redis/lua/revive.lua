-- revive: a failed or cancelled job is ready again, at the end of its line, with all its attempts.
-- ARGV 3 its id. Answers as one.lua.
--#include "common.lua"
--#include "place.lua"
--#include "types.lua"
--#include "one.lua"
local r = find()
if not r then return 0 end
local state = r.state
if state ~= FAILED and state ~= CANCELLED then return state end
meet()
open_full()
leave(id, r)
r.flags, r.attempt, r.run_at = without(r.flags, CANCELLING), 0, now
r.expires, r.ended = 0, 0
line_up(id, r)
ring()
save()
return state
