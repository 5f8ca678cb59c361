-- revive: a dead letter goes back in line, its count at 0 (S7).
-- ARGV   4 its id
-- Answer 0 it is in line; 1 there is none; 2 its stream is there; 3 it cannot be read
--#include "group.lua"
--#include "entries.lua"
local id = ARGV[4]
local found = call('XRANGE', dead, id, id)[1]
if not found then return 1 end
local name = read(found[2])
if not name then return 3 end
local r = get(name)
if r and (layout == OWN or entry_at(r.entry)) then return 2 end
meet()
call('XDEL', dead, id)
line_up(name, found[2], { lease = NO_LEASE, retries = 0, since = 0, lease_ms = 0 })
add('revived')
save()
return 0
