-- events: those after a number, oldest first. Asking makes the queue write them for a while.
-- ARGV 3 the number, 4 how many at most, 5 for how long they are written, ms.
-- Answers { number of the last one told, entries (events.lua) }.
--#include "common.lua"
local c, window = more(), tonumber(ARGV[5])
local after, count = tonumber(ARGV[3]), call('LLEN', events)
if c.watched_until - now <= window / 2 then
  c.watched_until, flags = now + window, with(flags, WATCHED)
  save()
end
if after >= c.event then return { c.event, {} } end
local from = math.max(after - (c.event - count), 0) -- of the list
local entries = call('LRANGE', events, from, from + tonumber(ARGV[4]) - 1)
return { c.event - count + from + #entries, entries }
