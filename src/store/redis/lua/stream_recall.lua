-- recall: asks whoever owns a stream to yield it (S8).
-- ARGV   4 name; 5 id of its entry if it was looked for
-- Answer 0 he is asked; 1 there is none; 2 it waits; 3 a stranger owns it, whom nobody can ask
--#include "group.lua"
--#include "entries.lua"
local name = ARGV[4]
local r = record_of(name, ARGV[5])
if not r then return 1 end
if r.state == WAITING then return 2 end
if r.foreign then return 3 end
meet()
if r.flags ~= YIELD then
  r.flags = YIELD
  put(name, r)
  add('asked')
  save()
end
return 0
