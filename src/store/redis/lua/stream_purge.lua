-- purge: dead letters go.
-- ARGV   from 4 on, their ids
-- Answer how many were there
--#include "group.lua"
meet()
local removed = call('XDEL', dead, unpack(ARGV, 4))
if removed > 0 then
  add('purged', removed)
  save()
end
return removed
