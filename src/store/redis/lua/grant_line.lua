-- The lines of those who wait for a name (L5).
local function ticket_of(name, holder) return name .. '\0' .. holder end

local function drop(ticket, number)
  call('ZREM', line, sub(ticket, 1, -9) .. sub(number, 1, 6) .. sub(ticket, -8))
  call('HDEL', tickets, ticket)
  call('ZREM', tickets_until, ticket)
end

-- Those that have lapsed are gone, with their places. A write that also a full server allows.
local function forget_dead_tickets()
  local dead = call('ZRANGEBYSCORE', tickets_until, '-inf', int(now), 'LIMIT', 0, PRUNE_MAX)
  if #dead == 0 then return end
  local numbers = call('HMGET', tickets, unpack(dead))
  for i = 1, #dead do drop(dead[i], numbers[i] or '') end
end

-- How many come before this number (nil: all) in the line for name.
local function count_before(name, number)
  return call('ZLEXCOUNT', line, '[' .. name .. '\0', '(' .. name .. (number and '\0' .. number or '\1'))
end
