-- renew: new deadlines for claims, and which of their jobs are to be stopped.
-- ARGV   from 3 on, per claim: its name, its lease in ms
-- Answer { a digit per claim: 1 if it is lost; index of the claim and id of a job, ... }
-- A claim that has lapsed and that nobody finished is renewed all the same (J8).
--#include "common.lua"
local count = (#ARGV - 2) / 2
if not known then return { string.rep('1', count), {} } end

local names = {}
for i = 1, count do names[i] = ARGV[1 + 2 * i] end
local deadlines = call('ZMSCORE', lease, unpack(names))
local lost, renewed, lost_count, longest_before = {}, {}, 0, longest
for i = 1, count do
  if deadlines[i] then
    local ms = tonumber(ARGV[2 + 2 * i])
    lost[i] = '0'
    renewed[#renewed + 1], renewed[#renewed + 2] = int(now + ms), names[i]
    if ms > longest then longest = ms end
  else
    lost[i], lost_count = '1', lost_count + 1
  end
end

local stop = {}
if has(flags, HAS_MARKS) ~= 0 then
  for i = 1, count do
    local found = deadlines[i] and call('ZRANGEBYLEX', marks, '[' .. names[i],
                                        '(' .. names[i] .. '\255', 'LIMIT', 0, 256) or {}
    for j = 1, #found do stop[#stop + 1], stop[#stop + 2] = i, sub(found[j], 16) end
  end
end

open_full()
if #renewed > 0 then call('ZADD', lease, unpack(renewed)) end
if lost_count > 0 then more().fenced = cold.fenced + lost_count end -- J3
if lost_count > 0 or longest > longest_before then save() end

return { table.concat(lost), stop }
