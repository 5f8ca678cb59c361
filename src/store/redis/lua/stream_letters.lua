-- letters: a page of dead letters, oldest first.
-- ARGV   4 id of the last one before, or ''; 5 how many; 6 bytes after which the page ends
-- Answer { { id, name or '', info, reason, member, retries, when } ..., id to go on with or '' }
--#include "group.lua"
--#include "entries.lua"
local from, limit, bytes_left = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])
local found = call('XRANGE', dead, from == '' and '-' or '(' .. from, '+', 'COUNT', limit)
local shown = {}
for i, it in ipairs(found) do
  local id, entry = it[1], it[2]
  local name, info, retries, fields = read(entry)
  if not name then info = table.concat(original(entry), ' ') end
  shown[i] = { id, name or '', info, fields[FIELDS.reason] or '', fields[FIELDS.member] or '', retries,
               layout == OWN and tonumber(fields.at) or time_of(id) }
  bytes_left = bytes_left - #info
  if bytes_left <= 0 and i < #found then return { shown, id } end
end
return { shown, #found == limit and found[limit][1] or '' }
