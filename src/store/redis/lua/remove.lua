-- remove: the record of a job that does not run goes.
-- ARGV 3 its id. Answers as one.lua.
--#include "common.lua"
--#include "place.lua"
--#include "types.lua"
--#include "one.lua"
local r = find()
if not r then return 0 end
local state = r.state
if state == RUNNING then return state end
meet()
open_full()
take_out(id, r)
save()
return state
