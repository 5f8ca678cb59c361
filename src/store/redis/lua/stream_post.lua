-- post: dead letters that lie with the group until the client has put them where they belong, which is on
-- another server.
-- ARGV   4 how many to be given, or 0; 5 for how long nobody else is, ms; 6 dead letters that were trimmed
--        there; from 7 on, ids of those that are there now
-- Answer { id, { field, value, ... }, ... }
-- One client at a time: if it ends in the middle another may put some there once more, but none is lost.
--#include "group.lua"
local want, ms = tonumber(ARGV[4]), tonumber(ARGV[5])
if #ARGV > 6 then
  meet()
  call('XDEL', dead, unpack(ARGV, 7))
  add('trimmed', tonumber(ARGV[6]))
  total.posting = 0
end
local out = {}
local found = want > 0 and total.posting <= now and call('XRANGE', dead, '-', '+', 'COUNT', want) or {}
for _, it in ipairs(found) do out[#out + 1], out[#out + 2] = it[1], it[2] end
if #out > 0 then
  meet()
  total.posting = now + ms
end
if #out > 0 or #ARGV > 6 then save() end
return out
