-- examine: the meta of a queue, held against what is there.
-- ARGV 3 '' to look; or the meta as it was when the records were counted, then 4 to 9 records by
-- state, 10 and 11 the largest seq and token among them: what is there is written.
-- Answers { meta, 1 if what it says of lines and marks is wrong }.
--#include "common.lua"
--#include "place.lua"
--#include "holders.lua"
if not known and call('EXISTS', job) == 0 then return { '', 0 } end
local said, due_said, claimed_said = with(levels, bit.lshift(flags, 16)), due, claimed_to
call('ZCARD', marks)
for level = 0, 15 do
  if ready[level] and call('LLEN', ready[level]) > 0 then
    levels = with(levels, bit.lshift(1, level))
    used = with(used, bit.lshift(1, level))
  end
end
if call('EXISTS', job) == 1 then flags = with(flags, EXISTS) end
if call('HLEN', stale) > 0 then flags = with(flags, HAS_STALE) end
if call('ZCARD', back) > 0 then flags = with(flags, HAS_BACK) end
if call('ZCARD', marks) > 0 then flags = with(flags, HAS_MARKS) end
if call('EXISTS', body, result, notes) > 0 then flags = with(flags, HAS_PARTS) end
local over_there = 0
spread = true -- whatever the meta says
for i = #KEYS - HASHES + 1, #KEYS do over_there = over_there + call('HLEN', KEYS[i]) end
look_due()
look_claimed_to()
local wrong = over ~= over_there or claimed_to ~= claimed_said or said ~= with(levels, bit.lshift(flags, 16)) or
        (due > 0 and (due_said == 0 or due_said > due))
if ARGV[3] == text then
  for state = DELAYED, CANCELLED do n[state] = tonumber(ARGV[3 + state]) end
  seq, token = math.max(seq, tonumber(ARGV[10])), math.max(token, tonumber(ARGV[11]))
  over = over_there
  open_full()
  save()
  ring()
end
return { text, wrong and 1 or 0 }
