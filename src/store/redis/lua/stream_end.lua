-- end: a stream is done with (S3).
-- ARGV   4 name; 5 id of its entry if it was looked for; 6 lease, or '': whoever has it
-- Answer 0 it is gone; 1 there is none; 2 that lease is over
--#include "group.lua"
--#include "entries.lua"
local name, mine = ARGV[4], ARGV[6]
local r = record_of(name, ARGV[5]) or mine ~= '' and get(name)
if not r then return tell(1) end
meet()
if mine ~= '' and not (r.state == OWNED and r.lease == mine and entry_at(r.entry)) then
  add('fenced')
  save()
  return tell(2)
end
take_out(r.entry)
call('HDEL', stream, name)
release(name, r)
add('ended')
if mine == '' and r.state == OWNED then add('asked') end
save()
return tell(0)
