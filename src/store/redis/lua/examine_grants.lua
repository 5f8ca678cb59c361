-- examine: leases of names and the lines for them, each key held against the others.
-- ARGV 2 the name of the key, 3 a cursor, 4 whether to mend, 0 or 1
-- Answers { cursor, how many lack what they belong to, how many of those must wait to be mended }
--#include "grant_head.lua"
--#include "grant_line.lua"
local mend, found, put_off = ARGV[4] == '1', 0, 0
if mend then call('ZREM', grants_until, '') end -- goes in a full server, and what follows then does

local function is_in(set, member) return call('ZSCORE', set, member) end
local function has_field(hash, field) return call('HEXISTS', hash, field) == 1 end

-- A grant that cannot be read is dropped once its lease is over: until then somebody may count on it.
local function look_at_grant(name, text)
  if name == '' then return end
  local deadline, wrong = is_in(grants_until, name), complaint(text) ~= nil
  if not wrong and deadline and is_in(by_name, name) then return end
  if wrong and tonumber(deadline or 0) > now then
    put_off = put_off + 1
  elseif mend and wrong then
    call('HDEL', grants, name)
    call('ZREM', by_name, name)
    call('ZREM', grants_until, name)
  elseif mend then
    call('ZADD', by_name, 0, name)
    if not deadline then call('ZADD', grants_until, int(now), name) end
  end
  return true
end

local function look_at_ticket(ticket, number)
  local place = sub(ticket, 1, -9) .. sub(number, 1, 6) .. sub(ticket, -8)
  if #number == 12 and is_in(line, place) and is_in(tickets_until, ticket) then return end
  if mend then drop(ticket, number) end
  return true
end

-- Whether a member of a sorted set belongs there.
local function is_name(name) return has_field(grants, name) end
local members = {
  grants_by_name = { by_name, is_name },
  grants_until = { grants_until, is_name },
  tickets_until = { tickets_until, function(ticket) return has_field(tickets, ticket) end },
  line = { line, function(place)
    local number = call('HGET', tickets, sub(place, 1, -15) .. sub(place, -8))
    return number and sub(number, 1, 6) == sub(place, -14, -9)
  end },
}

local fields = { grants = { grants, look_at_grant }, tickets = { tickets, look_at_ticket } }
local looked = fields[ARGV[2]] or members[ARGV[2]]
local reply = call(fields[ARGV[2]] and 'HSCAN' or 'ZSCAN', looked[1], ARGV[3], 'COUNT', 100)
for i = 1, #reply[2], 2 do
  local item, value = reply[2][i], reply[2][i + 1]
  if fields[ARGV[2]] then
    if looked[2](item, value) then found = found + 1 end
  elseif not looked[2](item) then
    found = found + 1
    if mend then call('ZREM', looked[1], item) end
  end
end
return { reply[1], found, put_off }
