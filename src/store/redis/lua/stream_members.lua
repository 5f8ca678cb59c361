-- members: those heard of in time.
-- ARGV   4 how many at most
-- Answer { id, row, ... }
--#include "group.lua"
local ids, out = call('ZRANGEBYSCORE', seen, '(' .. int(now), '+inf', 'LIMIT', 0, ARGV[4]), {}
if #ids == 0 then return out end
local found = call('HMGET', members, unpack(ids))
for i, row in ipairs(found) do
  if row then out[#out + 1], out[#out + 2] = ids[i], row end
end
return out
