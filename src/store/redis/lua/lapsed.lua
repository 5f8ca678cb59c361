-- lapsed: whole claims whose lease is over, longest lapsed first.
-- ARGV   3 jobs at most, of several claims; 4 bytes after which no more claims are told
-- Answer { ids, records, parts, when the next lease that stands is over or 0, now }
-- Writes nothing.
--#include "common.lua"
--#include "show.lua"
local most, bytes_left = tonumber(ARGV[3]), tonumber(ARGV[4])
local ids, records, parts = {}, {}, {}
local names = n[RUNNING] > 0 and call('ZRANGEBYSCORE', lease, '-inf', int(now), 'LIMIT', 0, most) or {}

local function add(name, about, id, v)
  local i, from = #ids + 1, #parts
  ids[i], records[i] = id, v
  add_parts(parts, i, id, v)
  add_part(parts, i, 'c', about)
  bytes_left = bytes_left - #v
  for j = from + 3, #parts, 3 do bytes_left = bytes_left - #parts[j] end
end

for _, name in ipairs(names) do
  local about, claim = claim_part(name)
  local theirs = about and holds.ids(name, claim) or {}
  local found, held = #theirs > 0 and get(theirs) or {}, {}
  for i = 1, #theirs do
    local v = found[i]
    if v and holds.record(name, claim, v) then held[#held + 1] = i end
  end
  if #ids > 0 and (#ids + #held > most or bytes_left <= 0) then break end
  for _, i in ipairs(held) do add(name, about, theirs[i], found[i]) end
end

local after = call('ZRANGEBYSCORE', lease, '(' .. int(now), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
return { ids, records, parts, after[2] and int(tonumber(after[2])) or '0', int(now) }
