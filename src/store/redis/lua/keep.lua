-- keep: the record of an ended job stays until another time.
-- ARGV 3 its id, 4 for how long from now, ms. Answers as one.lua.
--#include "common.lua"
--#include "place.lua"
--#include "types.lua"
--#include "one.lua"
local r = find()
if not r then return 0 end
if r.state < DONE then return r.state end
meet()
open_full()
if r.expires ~= 0 then sets.withdraw(kept, member(id, r)) end
r.expires = now + tonumber(ARGV[4])
sets.enter(kept, { int(r.expires), member(id, r) })
put({ id, close(r) })
return r.state
