-- list: a page of streams, in the order in which they came in line.
-- ARGV   4 id of the last entry before, or ''; 5 how many; 6 state, or 0: any; 7 bytes after which the
--        page ends
-- Answer { streams, id to go on with or '' }
--#include "group.lua"
--#include "entries.lua"
local from, limit, state, bytes_left = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local found = call('XRANGE', input, from == '' and '-' or '(' .. from, '+', 'COUNT', limit)
local shown = {}
for i, it in ipairs(found) do
  local id, name, info = it[1], read(it[2])
  local r = name and record_of(name, id)
  if r and r.entry == id and (state == 0 or r.state == state) then
    shown[#shown + 1] = show(name, info, r, deadline_of(name))
    bytes_left = bytes_left - #info
  end
  if bytes_left <= 0 and i < #found then return { shown, id } end
end
return { shown, #found == limit and found[limit][1] or '' }
