-- relist: a dead letter that lies elsewhere goes back in line, its count at 0 (S7).
-- ARGV   from 4 on: its fields and values
-- Answer 0 it is in line; 2 its stream is there; 3 it cannot be read
--#include "group.lua"
--#include "entries.lua"
local entry = { unpack(ARGV, 4) }
local name = read(entry)
if not name then return 3 end
local r = get(name)
if r and entry_at(r.entry) then return 2 end
meet()
line_up(name, entry, { lease = NO_LEASE, retries = 0, since = 0, lease_ms = 0 })
add('revived')
save()
return 0
