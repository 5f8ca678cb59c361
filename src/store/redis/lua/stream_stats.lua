-- stats: counts and counters.
-- Answer { whether there is such a group, waiting, owned, dead letters, members, then the totals }
--#include "group.lua"
local there = text and 1 or call('EXISTS', input)
local owned = call('ZCARD', lease)
if layout ~= OWN then
  local pending = redis.pcall('XPENDING', input, readers)
  owned = pending.err and 0 or pending[1]
end
local answer = { there, count_waiting(), owned, call('XLEN', dead),
                 call('ZCOUNT', seen, '(' .. int(now), '+inf') }
for i = 3, #COUNTS do answer[#answer + 1] = total[COUNTS[i]] end
return answer
