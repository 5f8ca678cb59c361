-- stats: what the queue counts, and for how long the first in line could have run, ms.
-- Answers { meta, ms }; the meta is '' if nobody knows the queue.
--#include "common.lua"
--#include "place.lua"
local LOOKS = 50 -- J11: entries of jobs that have left stand in the way
if not known then return { '', 0 } end
if n[READY] == 0 then return { text, 0 } end
local function waits(v) -- it may have been pushed for a time long past
  local r = open(v)
  return math.max(now - math.max(r.run_at, (parse('>I6', r.given))), 0)
end
local function first_of(entries)
  for i = 1, #entries do
    local id = sub(entries[i], 7)
    local v = get({ id })[1]
    if v and byte(v, 2) == READY and sub(v, 21, 26) == sub(entries[i], 1, 6) then return v end
  end
end
for level = 0, 15 do
  local v = has(flags, HAS_BACK) ~= 0 and first_of(back_of(level, 1))
  v = v or ready[level] and first_of(call('LRANGE', ready[level], 0, LOOKS - 1))
  if v then return { text, waits(v) } end
end
return { text, 0 }
