-- What scripts about grants begin with: leases of names, L1 to L7 of ops.h. Scripts of the space, which
-- have no other keys than these; docs/redis.md says what each is for.
-- KEYS 1 grants, 2 grants_by_name, 3 grants_until, 4 line, 5 tickets, 6 tickets_until
-- ARGV 1 ms to add to the server's clock; the operation's own follow from 2 on. A name comes with its
--      kind, a digit, before it. A script may answer with a status instead: `newer N` if a library
--      that knows more has been here, `broken` if a grant cannot be read.
-- A grant: 1 version, 1 whether it is to be given up, 8 holder (zeros: free), 7 token, 6 since when,
-- 6 the longest lease asked for, 6 how often it was let go, 6 how often its holder was asked to, by.
-- A ticket is a name, a NUL and the holder's 8 bytes; it has a number (6) and for how long it was asked
-- for (6). Its place in the line is name, NUL, number, holder.
local call = redis.call
local sub = string.sub
local pack, parse = struct.pack, struct.unpack
local grants, by_name, grants_until, line, tickets, tickets_until = unpack(KEYS)
local GRANT, FREE, HEAD, PRUNE_MAX = '>BBc8I7I6I6I6I6', string.rep('\0', 8), 41, 100

local now_us = call('TIME')
now_us = now_us[1] * 1000000 + now_us[2] + ARGV[1] * 1000
local now = (now_us - now_us % 1000) / 1000

-- A key of a wrong type is met here, before anything is written.
call('HLEN', grants)
call('ZCARD', by_name)
call('ZCARD', grants_until)
call('ZCARD', line)
call('HLEN', tickets)
call('ZCARD', tickets_until)

local function int(x) return string.format('%.0f', x) end

-- What is wrong with the text of a grant, as a status; nil if nothing is.
local function complaint(text)
  local version = text and string.byte(text) or 1
  if version ~= 1 then return { ok = 'newer ' .. (version or 0) } end
  if text and #text < HEAD then return { ok = 'broken' } end
end

local function open(text, deadline)
  local g = { deadline = tonumber(deadline or 0) }
  local _, resign
  _, resign, g.holder, g.token, g.since, g.longest, g.freed, g.asked = parse(GRANT, text)
  g.resign, g.by = resign == 1, sub(text, HEAD + 1)
  g.stands = g.holder ~= FREE and g.deadline > now
  return g
end

local function save(name, g)
  call('HSET', grants, name, pack(GRANT, 1, g.resign and 1 or 0, g.holder, g.token, g.since, g.longest,
                                  g.freed, g.asked) .. g.by)
end

-- Tells those who wait how often it was let go and how often its holder was asked to (L7).
local function ring(name, g) call('PUBLISH', grants .. ':' .. name, pack('>I6I6', g.freed, g.asked)) end
