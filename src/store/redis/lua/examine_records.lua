-- examine: some records, held against the places where they belong.
-- ARGV 3 a cursor of walk.lua, 4 whether to mend, 0 or 1.
-- Answers { cursor, { how many: in hand but of no claim, not in their line, told to stop without a
-- mark, without their body or result, unreadable }, { records by state }, largest seq, largest
-- token, { ids of READY ones } }.
--#include "common.lua"
--#include "place.lua"
--#include "types.lua"
--#include "holders.lua"
--#include "walk.lua"
local mend = ARGV[4] == '1'
local found, counts, top_seq, top_token, ready_ids = { 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0, 0 }, 0, 0, {}
local UNHELD, LINELESS, MARKLESS, PARTLESS, UNREADABLE = 1, 2, 3, 4, 5
spread = true -- whatever the meta says
if mend then
  meet()
  open_full()
end
look_claimed_to()

local function count(harm)
  found[harm] = found[harm] + 1
  return mend
end

-- As if handed back: nobody has it in hand.
local function hand_back(id, r)
  if has(r.flags, CANCELLING) ~= 0 then call('ZREM', marks, r.claim .. id) end
  set_apart(r)
  n[RUNNING], n[READY] = n[RUNNING] - 1, n[READY] + 1
  r.state, r.flags, flags = READY, without(r.flags, CANCELLING), with(flags, HAS_BACK)
  r.attempt = math.max(r.attempt - 1, 0)
  call('ZADD', back, int(r.level * BACK_STEP + r.seq), entry(id, r))
  put({ id, close(r) })
end

local look = {
  [DELAYED] = function(id, r)
    if sets.find(delayed, member(id, r)) or not count(LINELESS) then return end
    sets.enter(delayed, { int(r.run_at), member(id, r) })
    look_due()
  end,
  [READY] = function(id) ready_ids[#ready_ids + 1] = id end,
  [RUNNING] = function(id, r)
    local name = claim_of(r)
    if not name or call('HEXISTS', claims, name) == 0 then
      if count(UNHELD) then hand_back(id, r) end
    elseif has(r.flags, CANCELLING) ~= 0 and not call('ZSCORE', marks, r.claim .. id) and
           count(MARKLESS) then
      call('ZADD', marks, 0, r.claim .. id)
      flags = with(flags, HAS_MARKS)
    end
  end,
}
local function look_ended(id, r)
  local lost_kept = r.expires ~= 0 and not sets.find(kept, member(id, r))
  local lost_failed = r.state == FAILED and not sets.find(failed, member(id, r))
  if not (lost_kept or lost_failed) or not count(LINELESS) then return end
  if lost_kept then sets.enter(kept, { int(r.expires), member(id, r) }) end
  if lost_failed then
    seq = seq + 1
    sets.enter(failed, { int(seq), member(id, r) })
  end
end

local function look_parts(id, r)
  local body_lost = has(r.flags, LARGE_BODY) ~= 0 and call('HEXISTS', body, id) == 0
  local result_lost = has(r.flags, LARGE_RESULT) ~= 0 and call('HEXISTS', result, id) == 0
  if body_lost or result_lost then count(PARTLESS) end
end

local reply = walk(ARGV[3], 200)
for i = 1, #reply[2], 2 do
  local id, v = reply[2][i], reply[2][i + 1]
  local readable, r = pcall(open, v)
  if not readable or byte(v) ~= 1 or r.state < DELAYED or r.state > CANCELLED then
    count(UNREADABLE)
  else
    local look_at = look[r.state] or look_ended
    look_at(id, r)
    look_parts(id, r)
    counts[r.state] = counts[r.state] + 1
    top_seq = math.max(top_seq, r.seq)
    top_token = math.max(top_token, (parse('>I7', r.claim, 9)))
  end
end
if mend and found[UNHELD] + found[LINELESS] + found[MARKLESS] > 0 then
  save()
  ring()
end
return { reply[1], found, counts, int(top_seq), int(top_token), ready_ids }
