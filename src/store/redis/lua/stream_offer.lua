-- offer: a stream comes in line, if it is not there (S1).
-- ARGV   4 name, 5 info
-- Answer 0 it is in line now; 1 it was there; 2 strangers could not read its info; 3 as 0, and the
--        group is new
--#include "group.lua"
--#include "entries.lua"
local name, info = ARGV[4], ARGV[5]
local r = get(name)
if r and (layout == OWN or entry_at(r.entry)) then
  add('duplicates')
  save()
  return 1
end
local entry = { 'name', name, 'info', info }
if layout ~= OWN then
  if info == '' then info = 'null' end
  local sound, value = pcall(cjson.decode, info)
  if not sound or info ~= 'null' and (type(value) ~= 'table' or not find(info, '^%s*{')) then return 2 end
  entry = { 'lbs-input', '{"DataStreamName":' .. cjson.encode(name) .. ',"Info":' .. info .. '}' }
end
call('XLEN', input)
call('ZCARD', lease)
local is_new = not text
r = { lease = NO_LEASE, retries = 0, since = 0, lease_ms = 0 }
line_up(name, entry, r)
if is_new then redis.pcall('XGROUP', 'CREATE', input, readers, '0') end -- from its beginning: T61
add('offered')
save()
return is_new and 3 or 0
