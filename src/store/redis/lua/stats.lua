-- stats: what the queue counts, and for how long the first in line could have run, ms.
-- Answers { meta, ms }; the meta is '' if nobody knows the queue.
--#include "common.lua"
--#include "place.lua"
local LOOKS = 50 -- J11: entries of jobs that have left stand in the way
if not known then return { '', 0 } end
if n[READY] == 0 then return { text, 0 } end
local function waits(v) -- it may have been pushed for a time long past
  local r = open(v)
  return math.max(now - math.max(r.run_at, r.created), 0)
end
local function first_back(level)
  local entry_ = has(flags, HAS_BACK) ~= 0 and back_of(level, 1)[1]
  return entry_ and get({ sub(entry_, 7) })[1]
end
local function first_listed(level) -- the first entries of an id may be those of one that has left
  local met, is_any_stale = {}, has(flags, HAS_STALE) ~= 0
  for _, id in ipairs(ready[level] and call('LRANGE', ready[level], 0, LOOKS - 1) or {}) do
    local over = is_any_stale and call('HGET', stale, string.char(level) .. id) or 0
    met[id] = (met[id] or 0) + 1
    if met[id] > tonumber(over) then return get({ id })[1] end
  end
end
for level = 0, 15 do
  local v = first_back(level) or first_listed(level)
  if v then return { text, waits(v) } end
end
return { text, 0 }
