-- seek: where the entry of a stream stands that has no record, as strangers' have none.
-- ARGV   4 name; 5 id of the last entry before, or ''; 6 how many to look at
-- Answer { its id or '', id to go on with or '' }
--#include "group.lua"
--#include "entries.lua"
local name, from, most = ARGV[4], ARGV[5], tonumber(ARGV[6])
local found = call('XRANGE', input, from == '' and '-' or '(' .. from, '+', 'COUNT', most)
for _, it in ipairs(found) do
  if (read(it[2])) == name then return { it[1], '' } end
end
return { '', #found == most and found[most][1] or '' }
