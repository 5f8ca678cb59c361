-- grant_release: a holder lets go of the name, or of a place in line for it (L3).
-- ARGV 2 the name, 3 the holder, 4 after how many ms names that are free are forgotten
-- Answers whether there was something to let go, 0 or 1
--#include "grant_head.lua"
--#include "grant_line.lua"
--#include "grant_forget.lua"
local name, mine = ARGV[2], ticket_of(ARGV[2], ARGV[3])
local text = call('HGET', grants, name)
if complaint(text) then return complaint(text) end

call('ZREM', grants_until, '') -- goes in a full server, and what follows then does
forget_dead_tickets()
forget_long_free(tonumber(ARGV[4]))

local g = text and open(text, call('ZSCORE', grants_until, name))
local held, number = g and g.stands and g.holder == ARGV[3], call('HGET', tickets, mine)
if not held and not number then return 0 end
if number then drop(mine, number) end
if held then
  g.holder, g.resign = FREE, false
  call('ZADD', grants_until, int(now), name)
end
if g then
  g.freed = g.freed + 1
  save(name, g)
  ring(name, g)
end
return 1
