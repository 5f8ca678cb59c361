-- take: delivery and ownership in one step (S2).
-- ARGV   4 holder, 8 bytes; 5 how many; 6 lease, ms; 7 who; 8 dead letters kept; 9 bytes after which
--        no more are taken
-- Answer { token, whether others wait, how many could not be read, streams }
--#include "group.lua"
--#include "entries.lua"
local holder, want, lease_ms, owner = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]
local dead_most, bytes_left = tonumber(ARGV[8]), tonumber(ARGV[9])
local taken, unreadable = {}, 0

-- A repeat: what that holder owns (J7).
local names = call('ZRANGEBYLEX', held, '[' .. holder, '(' .. holder .. '\255', 'LIMIT', 0, 256)
for _, member in ipairs(names) do
  local name = sub(member, 9)
  local r = get(name)
  local entry = r and entry_at(r.entry)
  if entry then
    local _, info = read(entry)
    taken[#taken + 1] = show(name, info, r, deadline_of(name))
  end
end
local function answer()
  return tell({ taken[1] and taken[1][5] or 0, count_waiting() > 0 and 1 or 0, unreadable, taken })
end
if #names > 0 or layout == OWN and count_waiting() == 0 then return answer() end

-- Entries that nobody was given yet. They come one by one, so that none is given that is not taken.
local function next_entry()
  local got = redis.pcall('XREADGROUP', 'GROUP', readers, owner, 'COUNT', 1, 'STREAMS', input, '>')
  if got and got.err then
    if not find(got.err, 'NOGROUP') then error(got.err, 0) end
    call('XGROUP', 'CREATE', input, readers, '0', 'MKSTREAM') -- from its beginning: T61
    return next_entry()
  end
  return got and got[1][2][1]
end

-- Is the stream of that name in somebody's hand, by another entry? Where strangers recover, an owner
-- whose entry is no longer pending has lost it.
local function is_owned_elsewhere(r, id)
  return r and r.state == OWNED and r.entry ~= id and (layout == OWN or pending_at(r.entry))
end

local function own(name, info, retries, id, r)
  local offered = r and r.state == WAITING and r.offered or time_of(id)
  if r then release(name, r) end
  r = { state = OWNED, flags = 0, lease = holder .. pack('>I7', token), retries = retries,
        offered = offered, since = now, lease_ms = lease_ms, entry = id, owner = owner }
  put(name, r)
  call('ZADD', lease, int(now + lease_ms), name)
  call('ZADD', held, 0, holder .. name)
  lock(name, id, owner, lease_ms)
  add('taken')
  bytes_left = bytes_left - #info
  taken[#taken + 1] = show(name, info, r, now + lease_ms)
end

-- One that cannot be had, or not be read. Tells whether it was.
local function pass_over(id, entry, name, retries, r)
  if name and not is_owned_elsewhere(r, id) then return false end
  take_out(id)
  if name then
    add('duplicates')
  else
    bury(entry, retries, 'unparseable', '', dead_most)
    add('unparseable')
    unreadable = unreadable + 1
  end
  return true
end

meet()
if token + 1 > now_us then token = token + 1 else token = now_us end -- J4
local found = next_entry()
if not found then return answer() end
for left = want + 100, 0, -1 do
  local id, entry = found[1], found[2]
  local name, info, retries = read(entry)
  local r = name and get(name)
  if not pass_over(id, entry, name, retries, r) then own(name, info, retries, id, r) end
  found = #taken < want and bytes_left > 0 and left > 0 and next_entry()
  if not found then break end
end
save()
return answer()
