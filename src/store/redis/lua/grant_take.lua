-- grant_take: a name for one who asks (L1), or a place in line for it (L5).
-- ARGV 2 the name, 3 the holder, 4 its lease, ms, 5 for how long a ticket is good, ms; 0: none,
--      6 who asks, 7 after how many ms names that are free are forgotten
-- Answers { token (7), or ''; ms until it may be free; how many come first }
--#include "grant_head.lua"
--#include "grant_line.lua"
--#include "grant_forget.lua"
local name, holder, lease_ms, ticket_ms = ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local text = call('HGET', grants, name)
if complaint(text) then return complaint(text) end

call('ZREM', grants_until, '') -- goes in a full server, and what follows then does
forget_dead_tickets()
forget_long_free(tonumber(ARGV[7]))

text = call('HGET', grants, name)
local g = text and open(text, call('ZSCORE', grants_until, name)) or {
  holder = FREE, token = tonumber(call('HGET', grants, '') or 0), since = 0, longest = 0, freed = 0,
  asked = 0, by = '', deadline = 0,
}
-- A server whose clock was set back would have a dead holder keep the name, or his place, for long.
if g.stands and g.deadline > now + g.longest then
  g.deadline = now + g.longest
  call('ZADD', grants_until, int(g.deadline), name)
end

-- The ticket that comes first, until when it stands, and for how long it was asked for. A place
-- without one is nobody's.
local function first_in_line()
  for _ = 1, PRUNE_MAX do
    local place = call('ZRANGEBYLEX', line, '[' .. name .. '\0', '(' .. name .. '\1', 'LIMIT', 0, 1)[1]
    if not place then return end
    local ticket = ticket_of(name, sub(place, -8))
    local number, deadline = call('HGET', tickets, ticket), call('ZSCORE', tickets_until, ticket)
    if number and deadline then return ticket, tonumber(deadline), parse('>I6', number, 7) end
    call('ZREM', line, place)
  end
end

local mine = ticket_of(name, holder)
local number = call('HGET', tickets, mine)
local first, first_until, first_ms = first_in_line()
if first and first_until > now + first_ms then
  first_until = now + first_ms
  call('ZADD', tickets_until, int(first_until), first)
end

local function give()
  if number then drop(mine, number) end
  g.token, g.holder, g.since = math.max(g.token + 1, now_us), holder, now -- J4
  g.longest, g.resign, g.by = lease_ms, false, ARGV[6]
  save(name, g)
  call('ZADD', by_name, 0, name)
end

local has_it = g.stands and g.holder == holder
if has_it or (not g.stands and (not first or first == mine)) then
  if not has_it then
    give()
  elseif lease_ms > g.longest then
    g.longest = lease_ms
    save(name, g)
  end
  call('ZADD', grants_until, int(now + lease_ms), name)
  return { pack('>I7', g.token), 0, 0 }
end

local free_in = math.max((g.stands and g.deadline or first_until) - now, 0)
if ticket_ms == 0 then return { '', free_in, 0 } end
if not number then
  local last = call('ZREVRANGEBYLEX', line, '(' .. name .. '\1', '[' .. name .. '\0', 'LIMIT', 0, 1)[1]
  number = pack('>I6', last and parse('>I6', last, #name + 2) + 1 or 1)
  call('ZADD', line, 0, name .. '\0' .. number .. holder)
end
call('HSET', tickets, mine, sub(number, 1, 6) .. pack('>I6', ticket_ms))
call('ZADD', tickets_until, int(now + ticket_ms), mine)
return { '', free_in, count_before(name, sub(number, 1, 6)) }
