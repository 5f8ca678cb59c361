-- purge: some jobs of one state go.
-- ARGV 3 the state, not RUNNING; 4 how many at most, 5 how many of its line to pass over.
-- Answers { how many went, how many are left, how many of the line were looked at and stay }.
--#include "common.lua"
--#include "place.lua"
--#include "types.lua"
local state, most, over = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
if n[state] == 0 then return { 0, 0, 0 } end
meet()
open_full()
local removed, stay = 0, 0
local function remove(ids, fits, is_out)
  if #ids == 0 then return end
  local records = get(ids)
  for i = 1, #ids do
    local r = records[i] and open(records[i])
    if r and r.state == state and fits(ids[i], r, i) then
      take_out(ids[i], r, is_out)
      removed = removed + 1
    else
      stay = stay + 1
    end
  end
end
local function tails(entries)
  local ids = {}
  for i = 1, #entries do ids[i] = sub(entries[i], 7) end
  return ids
end
local function purge_ready()
  for level = 0, 15 do
    if has(flags, HAS_BACK) ~= 0 and removed < most then
      remove(tails(back_of(level, most - removed)), function() return true end)
    end
    while ready[level] and removed + stay < most do
      local entries, ids = call('LPOP', ready[level], most - removed), {}
      if not entries then break end
      for _, id in ipairs(entries) do
        if not is_stale(level, id) then ids[#ids + 1] = id end
      end
      stay = stay + #entries - #ids
      remove(ids, function() return true end, true)
    end
  end
  stay = 0 -- stale entries are gone, too
end
if state == READY then
  purge_ready()
else
  local line = state == DELAYED and delayed or state == FAILED and failed or kept
  local members = {}
  for _, key in ipairs(sets.keys(line)) do -- one after the other, as if they were one
    local found = #members < most and call('ZRANGE', key, over, over + most - #members - 1) or {}
    for i = 1, #found do members[#members + 1] = found[i] end
    if over > 0 then over = math.max(over - call('ZCARD', key), 0) end
  end
  due = 0 -- the first of those that are left is looked for once, not for each that goes
  remove(tails(members), function(id, r, i) return member(id, r) == members[i] end)
  look_due()
end
save()
return { removed, n[state], stay }
