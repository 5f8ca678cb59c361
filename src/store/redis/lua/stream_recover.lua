-- recover: ownerships that are over go back in line, or to the dead letters (S4, S6).
-- ARGV   4 ms for which an owner must not have been heard of; 5 retries allowed, -1: any; 6 dead letters
--        kept; 7 how many at most; 8 where to go on, or ''; from 9 on, entries of strangers that have no
--        lock
-- Answer { streams as they were, requeued, dead, unreadable, alive, where to go on or '', ms until the
--          next may be over or -1, entries of strangers that may have a lock: id, lock, ... }
-- First those of ours, by their deadlines; then what is pending and not ours: strangers' entries.
-- Where to go on: l, a deadline, how many of that were passed; or p, an entry's id; or k: only those that
-- are known to have no lock.
--#include "group.lua"
--#include "entries.lua"
local min_idle, most_retries, dead_most, most = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]),
                                                tonumber(ARGV[7])
local shown, requeued, died, unreadable, alive = {}, 0, 0, 0, 0
local suspects, next_at = {}, nil
local met = false

local function begin()
  if not met then meet() end
  met = true
end
local function may_be_over_at(at)
  if not next_at or at < next_at then next_at = at end
end
local function over_at(r, deadline)
  local idle_at = deadline - r.lease_ms + min_idle
  return idle_at > deadline and idle_at or deadline
end

local function move(name, info, entry, r, deadline)
  shown[#shown + 1] = show(name, info, r, deadline)
  add('lapsed')
  if bring_back(name, entry, r, 'max_retries_exceeded', most_retries, dead_most) then
    died = died + 1
  else
    requeued = requeued + 1
  end
end

-- ---- ours ----
local function recover_ours(name, r, deadline)
  begin()
  local entry = entry_at(r.entry)
  take_out(r.entry)
  release(name, r)
  if entry then
    local _, info = read(entry)
    move(name, info, entry, r, deadline)
  else
    call('HDEL', stream, name) -- somebody took it out by hand
  end
end

local function look_at_ours(from, passed)
  local found = call('ZRANGEBYSCORE', lease, from, int(now), 'WITHSCORES', 'LIMIT', passed, most)
  for i = 1, #found, 2 do
    local name, deadline = found[i], tonumber(found[i + 1])
    local r = get(name)
    if int(deadline) ~= from then from, passed = int(deadline), 0 end
    if r and over_at(r, deadline) > now then
      alive, passed = alive + 1, passed + 1
      may_be_over_at(over_at(r, deadline))
    elseif r then
      recover_ours(name, r, deadline)
    else
      begin()
      call('ZREM', lease, name)
    end
  end
  return #found == 2 * most and 'l' .. from .. '-' .. passed or 'p'
end

-- A server's clock that was set back makes leases longer than they were asked for.
local function look_ahead()
  for _, name in ipairs(call('ZREVRANGEBYSCORE', lease, '+inf', '(' .. int(now), 'LIMIT', 0, 10)) do
    local r, deadline = get(name), deadline_of(name)
    if r and deadline > now + r.lease_ms + 1000 then
      begin()
      call('ZADD', lease, int(now + r.lease_ms), name)
    end
  end
  local found = call('ZRANGEBYSCORE', lease, '(' .. int(now), '+inf', 'LIMIT', 0, 10)
  for _, name in ipairs(found) do
    local r = get(name)
    if r then may_be_over_at(over_at(r, deadline_of(name))) end
  end
end

-- ---- strangers' ----
local function recover_strangers(id, owner, idle)
  local entry = entry_at(id)
  local name, info, retries = read(entry or {})
  local r = name and get(name)
  if r and r.state == OWNED and r.entry == id then return end -- ours
  if name and layout == PUBLISHED and call('EXISTS', lock_of(name, id)) == 1 then
    alive = alive + 1
    return
  end
  if name and layout == SPLIT and ARGV[8] ~= 'k' then
    suspects[#suspects + 1], suspects[#suspects + 2] = id, lock_of(name, id)
    return
  end
  begin()
  if not take_out(id) or not entry then return end
  if not name then
    bury(entry, retries, 'unparseable', owner, dead_most)
    add('unparseable')
    unreadable = unreadable + 1
  elseif r and r.entry ~= id and entry_at(r.entry) then
    add('duplicates') -- it is there by another entry
  else
    move(name, info, entry, { state = OWNED, flags = 0, lease = NO_LEASE, retries = retries, offered = time_of(id),
                              since = now - idle, lease_ms = 0, entry = id, owner = owner }, 0)
  end
end

-- In our own layout there are none, unless somebody has read by hand.
local function has_strangers()
  local pending = redis.pcall('XPENDING', input, readers)
  return not pending.err and (layout ~= OWN or pending[1] > call('ZCARD', lease))
end

local function look_at_strangers(from)
  if from == '-' and not has_strangers() then return '' end
  local found = redis.pcall('XPENDING', input, readers, 'IDLE', int(min_idle), from, '+', most)
  if found.err then return '' end
  for _, p in ipairs(found) do recover_strangers(p[1], p[2], p[3]) end
  return #found == most and 'p' .. found[most][1] or ''
end

-- Records of streams that strangers took and ended go, some at a time.
local function sweep()
  for _, name in ipairs(layout == OWN and {} or call('HRANDFIELD', stream, 10)) do
    local r = get(name)
    if r.state == WAITING and not entry_at(r.entry) then call('HDEL', stream, name) end
  end
end

local after = ARGV[8]
local deadline, passed = string.match(after, '^l(%d+)-(%d+)$')
if after == '' or deadline then
  after = look_at_ours(deadline or '-inf', tonumber(passed or 0))
end
if after == 'p' then
  after = look_at_strangers('-')
elseif sub(after, 1, 1) == 'p' then
  after = look_at_strangers('(' .. sub(after, 2))
elseif after == 'k' then
  for i = 9, #ARGV do
    local p = pending_at(ARGV[i])
    if p and p[3] >= min_idle then recover_strangers(p[1], p[2], p[3]) end
  end
  after = ''
end
if after == '' then
  look_ahead()
  sweep()
end
if met then save() end
return tell({ shown, requeued, died, unreadable, alive, after, next_at and math.max(0, next_at - now) or -1,
              suspects })
